import Crypto
import Glibc

/// The files that make a store that of one device in its space, besides the records: its key, its
/// keyring and its list of trusted devices.
package enum DeviceKeys {
    /// Copies them into the folder of a copied store, for its owner alone.
    ///
    /// The copy is the same device to all others. Invitations that nobody has used stay behind: a code is good
    /// once, at the device that made it.
    ///
    /// - Returns: whether there was anything to copy.
    package static func copy(from source: String, to target: String) throws(KeyringFault) -> Bool {
        var isAny = false
        if var keyring = try Keyring.read(in: source) {
            keyring.invitations.removeAll { $0.user == nil }
            try keyring.write(in: target)
            isAny = true
        }
        let key = try copy(
            DeviceCertificate.path(in: source), to: DeviceCertificate.path(in: target),
            isSecret: true)
        let list = try copy(
            TrustedDevices.path(in: source), to: TrustedDevices.path(in: target), isSecret: false)
        return isAny || key || list
    }

    private static func copy(
        _ source: String, to target: String, isSecret: Bool
    ) throws(KeyringFault) -> Bool {
        do throws(PrivateFile.Problem) {
            let bytes = try PrivateFile.read(source, isSecret: isSecret)
            try PrivateFile.write(bytes, to: target, replaces: false)
            return true
        } catch .missing {
            return false
        } catch {
            throw KeyringFault(error, path: target)
        }
    }
}
