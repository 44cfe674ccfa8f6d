/// The fields of queries and forms: `name=value&name=value`, with escapes (application/x-www-form-urlencoded).
package enum FormCoding {
    /// The most fields in one form or query.
    package static let fieldCountMax = 1000

    /// The decoded fields in their order; nil if an escape is malformed, a text is not UTF-8 or there are too many.
    package static func fields(
        of bytes: some Collection<UInt8>
    ) -> [(name: String, value: String)]? {
        var fields: [(name: String, value: String)] = []
        for part in bytes.split(separator: UInt8(ascii: "&")) {
            let halves = part.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard fields.count < fieldCountMax, let name = text(halves[0]),
                let value = halves.count > 1 ? text(halves[1]) : ""
            else { return nil }
            fields.append((name, value))
        }
        return fields
    }

    /// The form of fields.
    package static func encoded(_ fields: [(name: String, value: String)]) -> String {
        fields.map { PercentCoding.encoded($0.name) + "=" + PercentCoding.encoded($0.value) }
            .joined(separator: "&")
    }

    private static func text(_ bytes: some Sequence<UInt8>) -> String? {
        PercentCoding.decoded(bytes, plusIsSpace: true)
            .flatMap { String(validating: $0, as: UTF8.self) }
    }
}
