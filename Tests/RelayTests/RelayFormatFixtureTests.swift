import Core
import Glibc
import Relay
import Session
import TestSupport
import Testing

/// A relay's file of a space in each format, kept as the SQL that makes it: what was once written is served ever after.
///
/// With `TANDEM_WRITE_VECTORS=1` in the environment the one of the present format is written, if there is none.
@Suite("Relays' files of earlier formats")
struct RelayFormatFixtureTests {
    private typealias Desk = RelayDesk
    private static let folder =
        #filePath.split(separator: "/").dropLast(2).map { "/" + $0 }.joined() + "/StoreFormats"
    /// The first format that is kept; none was in use before.
    private static let formatMin = 7

    private static func path(_ format: Int) -> String { "\(folder)/relay-\(format).sql" }

    /// Runs SQLite's shell on a file.
    ///
    /// - Returns: what it printed.
    private func shell(_ file: String, _ command: String) throws -> String {
        let pipe = try #require(popen("sqlite3 '\(file)' '\(command)'", "r"))
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, pipe)
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        #expect(pclose(pipe) == 0)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The one file of a space in a relay's folder.
    private func file(in folder: String) throws -> String {
        var found = glob_t()
        defer { globfree(&found) }
        try #require(glob(folder + "/*.relay", 0, nil, &found) == 0 && found.gl_pathc == 1)
        return String(cString: try #require(found.gl_pathv[0]))
    }

    private static let changes = [Desk.change(1, 1, 1), Desk.change(2, 1, 2), Desk.change(1, 2, 1)]

    /// A relay with versions of two records, one of them twice, and what two devices have stated.
    private func made() throws -> (world: RelayWorld, file: String) {
        let world = RelayWorld()
        let desk = try Desk(world)
        let (laptop, phone) = (desk.relayHello(1, device: 1), desk.relayHello(2, device: 2))
        desk.say(laptop, Desk.batch(Array(Self.changes[..<2]), through: 2))
        desk.say(phone, Desk.batch(Array(Self.changes[2...]), through: 1))
        desk.say(laptop, Desk.uploadDone(2, [1, 2, 3]))
        desk.say(phone, Desk.uploadDone(1, [4], by: 2))
        desk.commit()
        desk.take(desk.node.close(now: world.now))
        return (world, try file(in: world.folder))
    }

    @Test("the file of each format is sound, and all of it is served to a device that comes anew")
    func kept() throws {
        let (world, newest) = try made()
        let format = try #require(Int(try shell(newest, "PRAGMA user_version").filter(\.isNumber)))
        if TestSettings.number("TANDEM_WRITE_VECTORS") == 1,
            access(Self.path(format), R_OK) != 0
        {
            let pragmas = try ["application_id", "user_version"].map { name in
                "PRAGMA \(name) = \(try shell(newest, "PRAGMA \(name)").filter(\.isNumber));\n"
            }
            let output = try #require(fopen(Self.path(format), "w"))
            fputs(pragmas.joined() + (try shell(newest, ".dump")), output)
            fclose(output)
        }
        let name = try #require(newest.split(separator: "/").last)
        withExtendedLifetime(world) {}
        #expect(format >= Self.formatMin)
        for format in Self.formatMin...format {
            try #require(
                access(Self.path(format), R_OK) == 0, "format \(format) has no file of a relay")
            let world = RelayWorld()
            let file = "\(world.folder)/\(name)"
            _ = try shell(file, ".read \(Self.path(format))")
            #expect(chmod(file, 0o600) == 0)
            let space = try world.store()
            #expect(try space.examine() == [])
            space.close()
            let desk = try Desk(world)
            let tablet = desk.relayHello(3)
            #expect(Set(desk.changes(tablet)) == Set(Self.changes))
            // It goes on: a later version replaces those that it includes.
            desk.say(tablet, Desk.batch([Desk.change(2, 1, 3)], through: 1))
            desk.commit()
            let watch = desk.relayHello(4)
            #expect(desk.changes(watch).count == Self.changes.count)
            desk.take(desk.node.close(now: world.now))
        }
    }
}
