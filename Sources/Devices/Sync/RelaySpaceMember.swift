import Core
import Crypto
import Replica
import Session

/// A device's credentials and sealing for a relay in its space.
package struct RelaySpaceMember {
    /// Closes what leaves; nil in a space without encryption.
    let seal: (any SpaceSeal)?
    /// Which of the space's secrets it shows; nil in a space without encryption.
    let generation: UInt32?
    /// By which key relays know that secret; two of one generation have different ones.
    let verifier: [UInt8]?
    /// Writes and opens rekey messages; nil for who only looks, and without encryption.
    let rekeyMailbox: (any RekeyMailbox)?
    /// At most one: the same device with the secret that the relay may still have, to read what it drops as soon as it
    /// has the present one.
    private let formers: [RelaySpaceMember]
    /// Makes the credentials to show the relay on a channel.
    let account: (_ binding: [UInt8]?) throws(SealFault) -> RelayAccount

    private init(
        seal: (any SpaceSeal)?, generation: UInt32?, verifier: [UInt8]?,
        rekeyMailbox: (any RekeyMailbox)?, former: RelaySpaceMember? = nil,
        account: @escaping (_ binding: [UInt8]?) throws(SealFault) -> RelayAccount
    ) {
        self.seal = seal
        self.generation = generation
        self.verifier = verifier
        self.rekeyMailbox = rekeyMailbox
        formers = former.map { [$0] } ?? []
        self.account = account
    }

    /// The same device, only to look, with the secret that the relay may still have; nil if it is known to have the present
    /// one.
    var former: RelaySpaceMember? { formers.first }

    /// The same, to look at what is there and leave nothing.
    package var reading: RelaySpaceMember {
        RelaySpaceMember(
            seal: seal, generation: generation, verifier: verifier, rekeyMailbox: nil
        ) { [account] binding throws(SealFault) in
            var shown = try account(binding)
            shown.isReader = true
            return shown
        }
    }

    /// In a space without encryption: the relay reads everything.
    ///
    /// - Parameter token: what permits to make a new space, on a relay that asks for it.
    package static func plain(token: String? = nil) -> RelaySpaceMember {
        RelaySpaceMember(seal: nil, generation: nil, verifier: nil, rekeyMailbox: nil) {
            _ throws(SealFault) in
            RelayAccount(token: token)
        }
    }

    #if Encryption
        /// In a space with a secret.
        ///
        /// - Parameters:
        ///   - rekeyMailbox: writes and opens rekey messages.
        ///   - former: with the secret that the relay may still have.
        ///   - token: what permits to make a new space, on a relay that asks for it.
        package static func sealed(
            by sealer: SpaceSealer, rekeyMailbox: (any RekeyMailbox)? = nil,
            former: SpaceSealer? = nil, token: String? = nil
        ) -> RelaySpaceMember {
            RelaySpaceMember(
                seal: sealer, generation: sealer.generation, verifier: sealer.verifier,
                rekeyMailbox: rekeyMailbox,
                former: former.map { .sealed(by: $0).reading }
            ) { binding throws(SealFault) in
                // Over a channel without a name there is no proof, which the relay answers in words.
                RelayAccount(
                    generation: sealer.generation,
                    access: try binding.map { found throws(SealFault) in
                        try sealer.access(on: found)
                    },
                    token: token)
            }
        }
    #endif
}
