import Core
import Crypto
import Storage

/// The steps in which envelopes lead a device to a later secret.
///
/// A secret is taken if it is at most a step above the latest one that the device knows: nobody can use up the
/// generations at once. A device that is further behind gets secrets in between, which seal nothing.
/// Source: Protocol/11-Pairing.md §4.
package enum SecretSteps {
    /// The most steps that a device takes when it looks at its envelopes.
    package static let countMax = 16

    /// The last generation to which secrets of these generations lead, each at most a step above the one before.
    package static func end(
        from known: UInt32, over generations: [UInt32], countMax: Int = .max
    ) -> UInt32 {
        let ahead = generations.filter { $0 > known }.sorted()
        var (end, count, index) = (known, 0, 0)
        while index < ahead.count, count < countMax {
            let before = end
            while index < ahead.count, ahead[index] - before <= WireLimits.generationStepMax {
                end = ahead[index]
                index += 1
            }
            if end == before { break }
            count += 1
        }
        return end
    }

    #if Encryption
        /// The secrets by which a device with an earlier generation comes to a secret: those in between, and that one.
        ///
        /// The ones in between are derived from the secret, so all devices that have it make the same.
        /// - Returns: nil if they are more than a device takes at once.
        package static func path(
            to secret: SpaceSecret, from generation: UInt32, in space: SpaceID
        ) throws(SealFault) -> [SpaceSecret]? {
            let count = count(from: generation, to: secret.generation)
            if count > countMax { return nil }
            return try (0..<count).map { number throws(SealFault) in
                try step(number, of: count, towards: secret, in: space)
            }
        }

        /// How many secrets lead from a generation to a later one, that one included; 1 to one that is not later.
        static func count(from generation: UInt32, to last: UInt32) -> Int {
            guard last > generation else { return 1 }
            return Int((last - generation - 1) / WireLimits.generationStepMax) + 1
        }

        /// One of the secrets that lead to a secret, from 0 on; the last one is that secret.
        static func step(
            _ number: Int, of count: Int, towards secret: SpaceSecret, in space: SpaceID
        ) throws(SealFault) -> SpaceSecret {
            if number >= count - 1 { return secret }
            let generation =
                secret.generation - UInt32(count - 1 - number) * WireLimits.generationStepMax
            let bytes = try KeyDerivation.key(
                from: secret.bytes, salt: space.bytes,
                info: Array("tandem step 1 \(secret.generation) \(generation)".utf8),
                byteCount: SpaceSecret.byteCount)
            // No secret of such a generation can be made, so none was.
            return SpaceSecret(bytes: bytes, generation: generation) ?? secret
        }
    #endif
}

/// A secret that was left for this device, and that it ignores as it is too far above those that it knows.
package struct DistantSecret: Sendable {
    /// The name of the device that wrote the envelope, by what the write says.
    package let name: String
    /// That device; nil if it has no record.
    package let device: DeviceDirectory.Device?
    /// The generation of the secret.
    package let generation: UInt32
    /// The latest generation that is known here.
    package let known: UInt32

    /// The greatest of each device that is not revoked, by name.
    static func all(
        in store: Store, _ keyring: Keyring, _ directory: DeviceDirectory
    ) throws(StoreFault) -> [DistantSecret] {
        #if Encryption
            let known = keyring.latestGeneration
            let left = try LeftSecret.all(in: store, for: keyring, above: known)
            let end = SecretSteps.end(from: known, over: left.map(\.secret.generation))
            var found: [DistantSecret] = []
            for one in left.sorted(by: { $0.secret.generation > $1.secret.generation })
            where one.secret.generation > end {
                let device = directory[one.author]
                let name = device?.name ?? Device.name(one.author)
                guard device?.isRevoked != true, !found.contains(where: { $0.name == name }) else {
                    continue
                }
                found.append(
                    DistantSecret(
                        name: name, device: device, generation: one.secret.generation,
                        known: known))
            }
            return found.sorted { $0.name < $1.name }
        #else
            return []
        #endif
    }

    /// Whether the device can be revoked.
    package var isRevocable: Bool { device?.fingerprint != nil }
}
