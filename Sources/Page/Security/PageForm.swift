import HTTP

/// The fields of a form as the page reads them.
struct PageForm {
    /// All fields, in order.
    let all: [(name: String, value: String)]
    /// The file that came with them.
    let file: (name: String, bytes: [UInt8])?

    /// No fields.
    init() {
        all = []
        file = nil
    }

    /// Reads a body; nil if it is none of a form, or over a limit.
    init?(_ request: HTTPRequest) {
        if let form = HTTPForm(request) {
            all = form.fields
            file = nil
        } else if let upload = HTTPUpload(request) {
            all = upload.fields
            file = upload.file
        } else {
            return nil
        }
    }

    /// The value of a field that stands once; nil if it is missing or repeated.
    ///
    /// Browsers send the end of a line as two characters, and here it is one.
    subscript(name: String) -> String? {
        let found = all.filter { $0.name == name }
        return found.count == 1 ? found[0].value.replacing("\r\n", with: "\n") : nil
    }
}
