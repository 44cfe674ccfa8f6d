import Glibc

/// Another program of the same installation.
package enum SiblingProgram {
    /// The one that serves HTTP.
    package static let web = "tandem-web"
    /// The one that serves relays on a database.
    package static let relay = "tandem-relay"

    /// The path of a program that was installed with this one; nil if there is none that can be run.
    ///
    /// It stands beside this one, as a build leaves it, or in the folder `libexec/tandem` beside this one's folder.
    package static func path(_ name: String) -> String? {
        guard let own = ownPath else { return nil }
        let folder = own[...(own.lastIndex(of: "/") ?? own.startIndex)]
        return ["\(folder)\(name)", "\(folder)../libexec/tandem/\(name)"]
            .first { access($0, X_OK) == 0 }
    }

    /// The path of this program; nil where /proc is missing.
    package static var ownPath: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
