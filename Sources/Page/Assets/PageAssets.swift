import HTTP

/// The files of the page: styles, scripts and a picture, all of them in the program.
enum PageAssets {
    private static let files: [String: (type: String, text: String)] = [
        "page.css": ("text/css; charset=utf-8", PageStyles.text),
        "page.js": ("text/javascript; charset=utf-8", PageScript.text),
        "live.js": ("text/javascript; charset=utf-8", LiveScript.text),
        "stream.js": ("text/javascript; charset=utf-8", StreamScript.text),
        "icon.svg": ("image/svg+xml", PageStyles.icon),
    ]

    /// Changes with any of the files: a browser that has an older one asks anew.
    private static let version: String = {
        // FNV-1a: told apart, not kept secret.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for name in files.keys.sorted() {
            for byte in (files[name]?.text ?? "").utf8 {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
            }
        }
        return String(hash, radix: 16)
    }()

    /// The path of a file.
    static func path(_ name: String) -> String { "/assets/\(version)/\(name)" }

    /// A file.
    static func response(_ name: String) throws(PageRefusalError) -> HTTPResponse {
        guard let file = files[name] else { throw PageRefusalError(.noPage) }
        return HTTPResponse(
            200, type: file.type,
            headers: [HTTPHeader("cache-control", "private, max-age=604800, immutable")],
            file.text)
    }
}
