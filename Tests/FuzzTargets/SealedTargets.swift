import Core
import Crypto

extension FuzzTargets {
    #if Encryption
        /// Bytes that a relay gives back, or that came by a way that nobody guards.
        static let sealed = [sealedBlobs, envelopes, pairingItems, strangers]

        private static let keys = SpaceSecret(
            bytes: [UInt8](repeating: 7, count: 32), generation: 2
        )
        .flatMap { try? SpaceKeys($0, space: SpaceID(value: 3)) }

        /// The first byte says how the rest comes: as it is, as the content of a blob, or as its padded content.
        private static let sealedBlobs = FuzzTarget(
            "sealed", byteCountMax: 2048,
            decoders: [
                "Sources/Crypto/Sealer.swift", "Sources/Crypto/SyntheticCipher.swift",
            ]
        ) { bytes in
            guard let keys else { throw BrokenPromise(description: "no keys") }
            let sealer = try Sealer(keys)
            var input = FuzzInput(bytes)
            let manner = input.byte()
            let id = RecordID(value: UInt128(input.byte()))
            let row = SummaryRow.Key(ReplicaID(value: 1), about: ReplicaID(value: 3))
            let clock = VersionVector(
                Dot(replica: ReplicaID(value: 1), counter: 1 + UInt64(input.byte())))
            let (index, change) = (Int(input.byte()), input.byte())
            let content = input.remainder()
            switch manner & 3 {
            case 0:
                let opened = try? sealer.open(content, of: id, clock: clock)
                try promise(opened == nil, "random bytes are opened")
                try promise(
                    (try? sealer.open(rekeyMessage: content)) == nil, "random bytes are opened")
            case 1:
                var blob = try sealer.seal(content, of: id, clock: clock)
                try promise(
                    try sealer.open(blob, of: id, clock: clock) == content, "content is lost")
                try promise(
                    (try? sealer.open(blob, ofRow: row, numbered: 1)) == nil,
                    "a body opens as a summary row")
                guard change != 0 else { return }
                blob[index % blob.count] ^= change
                try promise(
                    (try? sealer.open(blob, of: id, clock: clock)) == nil,
                    "a changed blob is opened")
            case 2:
                let blob = try sealer.seal(content, ofRow: row, numbered: 1)
                let opened = try sealer.open(blob, ofRow: row, numbered: 1)
                try promise(opened == content, "a summary row is lost")
                _ = try? SummaryRowContent(decoding: opened, about: row.about)
                let others = [
                    SummaryRow.Key(ReplicaID(value: 2), about: row.about),
                    SummaryRow.Key(row.replica, about: nil),
                    SummaryRow.Key(row.replica, about: row.replica),
                ]
                for other in others {
                    try promise(
                        (try? sealer.open(blob, ofRow: other, numbered: 1)) == nil,
                        "a row of another key is opened")
                }
                try promise(
                    (try? sealer.open(blob, ofRow: row, numbered: 2)) == nil,
                    "a row with another number is opened")
                let message = try sealer.seal(rekeyMessage: content)
                try promise(
                    try sealer.open(rekeyMessage: message) == content, "a rekey message is lost")
            default:
                guard let inner = Padding.content(content) else { return }
                try promise(Padding.padded(inner) == content, "padding has a second form")
            }
        }

        /// The envelope of a secret: as it comes, or made here with a byte changed.
        private static let envelopes = FuzzTarget(
            "envelopes", byteCountMax: 256, decoders: ["Sources/Crypto/SecretEnvelope.swift"]
        ) { bytes in
            var input = FuzzInput(bytes)
            let own = [UInt8](repeating: 9, count: SecretEnvelope.keyByteCount)
            let space = SpaceID(value: 3)
            guard input.flag() else {
                let content = input.remainder()
                _ = SecretEnvelope.generation(of: content)
                let opened = try? SecretEnvelope.open(content, of: space, with: own)
                return try promise(opened == nil, "random bytes are opened")
            }
            let (index, change) = (Int(input.byte()), input.byte())
            let generation = max(1, UInt32(truncatingIfNeeded: input.number()))
            var secretBytes = input.take(32)
            secretBytes += [UInt8](repeating: 0, count: 32 - secretBytes.count)
            guard let secret = SpaceSecret(bytes: secretBytes, generation: generation) else {
                return
            }
            var envelope = try SecretEnvelope.close(
                secret, of: space, for: try SecretEnvelope.shown(own),
                ephemeral: [UInt8](repeating: 5, count: 32))
            try promise(
                try SecretEnvelope.open(envelope, of: space, with: own) == secret,
                "a secret is lost")
            guard change != 0 else { return }
            envelope[index % envelope.count] ^= change
            try promise(
                (try? SecretEnvelope.open(envelope, of: space, with: own)) == nil,
                "a changed envelope is opened")
        }
    #else
        static let sealed: [FuzzTarget] = []
    #endif
}
