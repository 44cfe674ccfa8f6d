import HTTP

/// The files of the page: styles, scripts and a picture, all of them in the program.
enum PageAssets {
    private static let files: [String: (type: String, text: String)] = [
        "page.css": ("text/css; charset=utf-8", PageStyles.text),
        "page.js": ("text/javascript; charset=utf-8", PageScript.text),
        "live.js": ("text/javascript; charset=utf-8", LiveScript.text),
        "stream.js": ("text/javascript; charset=utf-8", StreamScript.text),
        "drafts.js": ("text/javascript; charset=utf-8", OfflineScript.drafts),
        "shell.js": ("text/javascript; charset=utf-8", OfflineScript.shell),
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

    /// The path of the shell, which stands in for every screen while the program does not run.
    static let shellPath = "/shell"
    /// The files that the shell needs.
    private static let shellFiles = ["page.css", "drafts.js", "shell.js", "icon.svg"]

    /// The service worker, from a path above all screens.
    static func worker() -> HTTPResponse {
        HTTPResponse(
            200, type: "text/javascript; charset=utf-8",
            OfflineScript.worker(version: version, files: [shellPath] + shellFiles.map(path)))
    }

    /// The description of the page for a browser that installs it.
    static func manifest() -> HTTPResponse {
        HTTPResponse(
            200, type: "application/manifest+json; charset=utf-8",
            #"""
            {"name":"Tandem","short_name":"Tandem","description":"Your to-dos on this machine","start_url":"/",
            "scope":"/","display":"standalone","background_color":"#f7f7f5","theme_color":"#0b5cad",
            "icons":[{"src":"\#(path("icon.svg"))","sizes":"any","type":"image/svg+xml"}]}
            """#)
    }

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
