import Core
import Glibc
import Storage
import Testing

/// Damage to the files of a store that no program has open, and its results.
extension StoreWorld {
    /// Tries to rescue the store `name`.
    func rescue(
        _ name: String, space: SpaceID? = nil, isDry: Bool = false
    ) throws -> RescueReport {
        let scratch = path(name + "/scratch-test")
        defer { run("rm", "-rf", scratch) }
        return try Store.rescue(
            folder: path(name), schema: Self.schema, space: space, deviceName: "unnamed",
            scratch: scratch, environment: environment, isDry: isDry)
    }

    /// The answer of the program sqlite3, line by line.
    func ask(_ name: String, _ sql: String) -> [String] {
        run("sqlite3", path(name), sql).output.split(separator: "\n").map { String($0) }
    }

    /// The pages of a table or an index: `internal` or `leaf`.
    func pages(of name: String, _ kind: String, in database: String) -> [Int] {
        ask(
            database,
            "SELECT pageno FROM dbstat WHERE name = '\(name)' AND pagetype = '\(kind)' ORDER BY 1"
        ).compactMap { Int($0) }
    }

    /// Turns every bit of a page around.
    func flip(page: Int, of database: String) {
        change(page: page, of: database) { ~$0 }
    }

    /// Changes every byte of a page.
    func change(page: Int, of database: String, _ body: (UInt8) -> UInt8) {
        guard let file = fopen(path(database), "r+") else { return }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        fseek(file, (page - 1) * 4096, SEEK_SET)
        let count = fread(&bytes, 1, bytes.count, file)
        for index in 0..<count { bytes[index] = body(bytes[index]) }
        fseek(file, (page - 1) * 4096, SEEK_SET)
        fwrite(bytes, 1, count, file)
    }

    /// The titles of all to-dos that the program sqlite3 can read, by a scan that stops where it cannot.
    func titlesReadable(in database: String) -> Set<String> {
        let found = ask(
            database, "SELECT title FROM todo_record NOT INDEXED WHERE state = 0 ORDER BY sequence")
        let other = ask(
            database,
            "SELECT title FROM todo_record NOT INDEXED WHERE state = 0 ORDER BY sequence DESC")
        return Set(found + other)
    }
}
