import Core

#if Encryption
    import COpenSSL

    /// Seals change bodies and summary rows of one generation of a space, and opens them.
    ///
    /// AES-256-SIV (RFC 5297) by libcrypto: authenticated, and deterministic, so there is no nonce that
    /// could repeat. The clock is bound in, and no two states of a record have one clock, so equal bytes
    /// show only that a version was uploaded twice. One object a thread.
    /// Source: Protocol/9-Sealing.md.
    package final class Sealer {
        /// A form, a generation, and the synthetic initialisation vector.
        package static let headByteCount = 1 + 4 + 16
        /// The longest content, in bytes.
        package static let contentByteCountMax = RecordLimits.versionByteCountMax

        private static let form: UInt8 = 1

        private let keys: SpaceKeys
        private let cipher: SyntheticCipher

        /// Seals and opens with the keys of one generation.
        package init(_ keys: SpaceKeys) throws(SealFault) {
            self.keys = keys
            cipher = try SyntheticCipher(key: keys.sealing)
        }

        /// The generation.
        package var generation: UInt32 { keys.generation }

        /// Seals the body of a change for its record and clock.
        package func seal(
            _ body: [UInt8], of id: RecordID, clock: VersionVector
        ) throws(SealFault) -> [UInt8] {
            try seal(body, beside: context(of: id, clock))
        }

        /// Opens the body of a change of that record and clock.
        package func open(
            _ sealed: [UInt8], of id: RecordID, clock: VersionVector
        ) throws(SealFault) -> [UInt8] {
            try open(sealed, beside: context(of: id, clock))
        }

        /// Seals the content of a summary row for its key and number.
        package func seal(
            _ content: [UInt8], ofRow key: SummaryRow.Key, numbered number: UInt64
        ) throws(SealFault) -> [UInt8] {
            try seal(content, beside: context(of: key, number))
        }

        /// Opens the content of the summary row of that key and number.
        package func open(
            _ sealed: [UInt8], ofRow key: SummaryRow.Key, numbered number: UInt64
        ) throws(SealFault) -> [UInt8] {
            try open(sealed, beside: context(of: key, number))
        }

        /// Seals a rekey message for devices that have this secret and no later one.
        package func seal(rekeyMessage: [UInt8]) throws(SealFault) -> [UInt8] {
            try seal(rekeyMessage, beside: rekeyMessageContext)
        }

        /// Opens such a rekey message.
        package func open(rekeyMessage sealed: [UInt8]) throws(SealFault) -> [UInt8] {
            try open(sealed, beside: rekeyMessageContext)
        }

        // MARK: Where something belongs

        private var rekeyMessageContext: [[UInt8]] {
            [Array("tandem rekey message 1".utf8), scope]
        }

        private func context(of id: RecordID, _ clock: VersionVector) -> [[UInt8]] {
            var writer = CanonicalWriter()
            writer.array(clock.entries.count * 2)
            for entry in clock.entries {
                writer.identifier(entry.replica.value)
                writer.unsigned(entry.counter)
            }
            return [Array("tandem change 1".utf8), scope, id.bytes, writer.bytes]
        }

        private func context(of key: SummaryRow.Key, _ number: UInt64) -> [[UInt8]] {
            let about = key.about?.bytes ?? []
            return [
                Array("tandem summary 1".utf8), scope,
                key.replica.bytes + about
                    + withUnsafeBytes(of: number.bigEndian) { Array($0) },
            ]
        }

        private var scope: [UInt8] { keys.space.bytes + keys.generation.bigEndianBytes }

        // MARK: Sealing

        private func seal(
            _ content: [UInt8], beside context: [[UInt8]]
        ) throws(SealFault) -> [UInt8] {
            guard content.count <= Self.contentByteCountMax else {
                throw .tooLong(max: Self.contentByteCountMax)
            }
            let padded = Padding.padded(content)
            return [Self.form] + keys.generation.bigEndianBytes
                + (try cipher.seal(padded, beside: context))
        }

        private func open(
            _ sealed: [UInt8], beside context: [[UInt8]]
        ) throws(SealFault) -> [UInt8] {
            let most = Self.headByteCount + Padding.length(for: Self.contentByteCountMax)
            guard sealed.count <= most else { throw .tooLong(max: most) }
            guard sealed.count > Self.headByteCount, sealed[0] == Self.form else {
                throw .malformed
            }
            let generation = sealed[1..<5].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard generation == keys.generation else { throw .otherGeneration(generation) }
            let padded = try cipher.open(sealed[5...], beside: context)
            guard let content = Padding.content(padded) else { throw .malformed }
            return content
        }
    }

    extension SealFault {
        /// Makes a fault from the last error that libcrypto reported.
        static func last() -> SealFault {
            let code = ERR_get_error()
            ERR_clear_error()
            guard code != 0, let reason = ERR_reason_error_string(code) else {
                return .library("no reason given")
            }
            return .library(String(cString: reason))
        }
    }
#endif

/// Hides lengths: sealed content has one of a few lengths.
///
/// Content, one byte 0x80, zeros. From 256 bytes on the length is rounded up to a number with a
/// short binary mantissa (Padmé: Nikitin et al., "Reducing Metadata Leakage from Encrypted Files and
/// Communication with PURBs", 2019), which costs at most 12 %; below that to whole blocks.
package enum Padding {
    /// The step of short lengths, in bytes.
    package static let blockByteCount = 64
    /// From here on lengths grow by mantissa.
    package static let mantissaByteCountMin = 256

    /// Returns the padded length for a number of bytes of content.
    package static func length(for count: Int) -> Int {
        let least = count + 1
        if least <= mantissaByteCountMin {
            return (least + blockByteCount - 1) / blockByteCount * blockByteCount
        }
        let exponent = Int.bitWidth - 1 - least.leadingZeroBitCount
        let mantissaBits = Int.bitWidth - exponent.leadingZeroBitCount
        let mask = (1 << (exponent - mantissaBits)) - 1
        return (least + mask) & ~mask
    }

    /// The content with its padding.
    package static func padded(_ content: [UInt8]) -> [UInt8] {
        var result = content
        let length = length(for: content.count)
        result.reserveCapacity(length)
        result.append(0x80)
        result.append(contentsOf: repeatElement(0, count: length - result.count))
        return result
    }

    /// The content again; nil if the padding is not the one that it would be given.
    package static func content(_ padded: [UInt8]) -> [UInt8]? {
        guard let mark = padded.lastIndex(where: { $0 != 0 }), padded[mark] == 0x80,
            padded.count == length(for: mark)
        else { return nil }
        return Array(padded[..<mark])
    }
}

/// Why something sealed could not be opened, or not be sealed.
package enum SealFault: Error, Hashable, Sendable {
    /// It is shorter than anything sealed, or of an unknown form.
    case malformed
    /// It was sealed with the secret of another generation.
    case otherGeneration(UInt32)
    /// It was changed, moved to another place, or sealed by somebody with another secret; which of these
    /// cannot be told.
    case notAuthentic
    /// It is longer than the limit; bytes.
    case tooLong(max: Int)
    /// The cryptographic library failed; its words.
    case library(String)
}

extension SealFault: CustomStringConvertible {
    /// The fault in words, then the next step.
    package var description: String {
        switch self {
        case .malformed:
            "it is nothing that was sealed by this program; upgrade it if a newer one did"
        case .otherGeneration(let generation):
            "it was sealed with the secret of generation \(generation); join the space anew, or wait for "
                + "the device that changed the secret"
        case .notAuthentic: "no device of this space sealed it so; it was left alone"
        case .tooLong(let max): "it is longer than \(max) bytes"
        case .library(let words): "OpenSSL failed: \(words)"
        }
    }
}
