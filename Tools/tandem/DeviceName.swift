import Devices
import Storage
import Transport

/// What a person calls a device.
enum DeviceName {
    private static let byteCountMax = 200

    /// The name that was given, else that of the host.
    static func read(_ arguments: Arguments) throws -> String {
        if let name = arguments["name"] { return try check(name, "--name kitchen") }
        let host = SystemWorld.hostName
        return (try? check(host, "")) ?? "device"
    }

    /// Refuses what nobody could tell from nothing.
    static func check(_ name: String, _ example: String) throws -> String {
        guard name.contains(where: { !$0.isWhitespace }), name.utf8.count <= byteCountMax else {
            throw CommandFailure(
                .usage,
                "a device name has 1 to \(byteCountMax) bytes, and not only blanks: \(example)")
        }
        return name
    }

    /// Another device of the space that has a name as well; not one that was revoked.
    static func twin(of name: String, _ place: Workplace) throws -> DeviceBook.Device? {
        try DeviceBook(place.store).devices.first { device in
            device.name.lowercased() == name.lowercased() && !device.isRevoked
                && !device.replicas.contains(place.store.replica)
        }
    }

    /// That another device has this one's name, too, and what to do about it; nil if none has.
    static func advice(_ place: Workplace) throws -> String? {
        let name = try place.store.summary().deviceName
        guard try twin(of: name, place) != nil else { return nil }
        return "another device is called \(name.shownInLine), too; to call this one otherwise: "
            + "tandem rename NAME"
    }
}
