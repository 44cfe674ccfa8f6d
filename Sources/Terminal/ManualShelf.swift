import Glibc

/// A folder of manual pages.
package enum ManualShelf {
    /// Writes pages into a folder, which is made if it is missing; gives the paths.
    ///
    /// - Parameter product: the program and its version, for the foot of the pages.
    package static func write(
        _ pages: [ManualPage], into folder: String, product: String
    ) throws(CommandFailure) -> [String] {
        try Files.makeFolder(folder)
        let date = date()
        var paths: [String] = []
        for page in pages {
            let path = "\(folder)/\(page.fileName)"
            try Files.write(page.text(date: date, product: product).utf8, to: path)
            paths.append(path)
        }
        return paths
    }

    /// Today, or the day that `SOURCE_DATE_EPOCH` names (reproducible-builds.org), in UTC.
    private static func date() -> String {
        var seconds = time(nil)
        if let text = getenv("SOURCE_DATE_EPOCH"), let given = time_t(String(cString: text)) {
            seconds = given
        }
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(parts.tm_year + 1900)-\(digits(parts.tm_mon + 1))-\(digits(parts.tm_mday))"
    }
}
