/// The fields of a form that a request's body carries.
package struct HTTPForm {
    /// The media type of such a body.
    package static let type = "application/x-www-form-urlencoded"
    /// The longest form, in bytes.
    package static let byteCountMax = 2 << 20

    /// The fields, decoded, in their order.
    package let fields: [(name: String, value: String)]

    /// Reads the body of a request.
    ///
    /// - Returns: nil if it has another media type, is longer than `byteCountMax` or is malformed: 400.
    package init?(_ request: HTTPRequest) {
        guard let type = request.header("content-type"),
            let first = type.split(separator: ";", omittingEmptySubsequences: false).first,
            first.filter({ $0 != " " && $0 != "\t" }).lowercased() == Self.type,
            request.body.count <= Self.byteCountMax,
            let fields = FormCoding.fields(of: request.body)
        else { return nil }
        self.fields = fields
    }

    /// The first value of that name; nil if it is missing.
    package func value(_ name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// All values of that name, in their order.
    package func values(_ name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }
}
