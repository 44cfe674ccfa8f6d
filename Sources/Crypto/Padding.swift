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
