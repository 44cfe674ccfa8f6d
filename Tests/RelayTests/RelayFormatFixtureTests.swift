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
    private static let rekeyMessage = RekeyMessage(
        generation: 1, verifier: verifier(1), bytes: [1, 2, 3])

    private static func verifier(_ generation: UInt32) -> [UInt8] {
        [UInt8](repeating: UInt8(generation), count: 32)
    }

    /// Approaches with the secret of a generation, which begins it if the relay has the one before.
    private static func keyed(_ generation: UInt32) -> (inout RelayHello) -> Void {
        {
            let own = verifier(generation)
            $0.generation = generation
            $0.access = RelayHello.Access(
                verifier: own, proof: RelayWorld.proof(own, $0.space, generation, nil),
                succession: RelayWorld.succession(
                    verifier(generation - 1), $0.space, generation, own))
        }
    }

    /// A relay with versions of two records, one of them twice, of which a device cannot open one, what two devices have
    /// stated, and a rekey message for devices that have the secret before the present one.
    private func made() throws -> (world: RelayWorld, file: String) {
        let world = RelayWorld()
        let desk = try Desk(world)
        _ = desk.relayHello(1, device: 1, Self.keyed(1))
        let laptop = desk.relayHello(1, device: 1, Self.keyed(2))
        let phone = desk.relayHello(2, device: 2, Self.keyed(2))
        desk.say(laptop, .rekeyMessage(Self.rekeyMessage))
        desk.say(laptop, Desk.batch(Array(Self.changes[..<2]), through: 2))
        desk.say(phone, Desk.batch(Array(Self.changes[2...]), through: 1))
        desk.say(laptop, Desk.uploadDone(2, [1, 2, 3]))
        desk.say(phone, Desk.uploadDone(1, [4], by: 2))
        desk.say(phone, .unreadable(UnreadableVersions([VersionMark(of: Self.changes[0])])))
        desk.commit()
        desk.take(desk.node.close(now: world.now))
        return (world, try file(in: world.folder))
    }

    private static func changes(in messages: [Message]) -> [Change] {
        messages.flatMap { message in
            if case .changes(let batch) = message { batch.changes } else { [Change]() }
        }
    }

    /// The tables of a file without a row.
    private func emptyTables(of file: String) throws -> [String] {
        let names = try shell(
            file, "SELECT name FROM sqlite_master WHERE type = \"table\"")
        let tables = names.split(separator: "\n").map(String.init)
        #expect(tables.count >= 7)
        return try tables.filter { try shell(file, "SELECT 1 FROM \($0) LIMIT 1").isEmpty }
    }

    @Test("the file of each format is sound, and all of it is served to a device that comes anew")
    func kept() throws {
        let (world, newest) = try made()
        let newestFormat = try #require(
            Int(try shell(newest, "PRAGMA user_version").filter(\.isNumber)))
        if TestSettings.number("TANDEM_WRITE_VECTORS") == 1,
            access(Self.path(newestFormat), R_OK) != 0
        {
            let pragmas = try ["application_id", "user_version"].map { name in
                "PRAGMA \(name) = \(try shell(newest, "PRAGMA \(name)").filter(\.isNumber));\n"
            }
            let output = try #require(fopen(Self.path(newestFormat), "w"))
            fputs(pragmas.joined() + (try shell(newest, ".dump")), output)
            fclose(output)
        }
        let name = try #require(newest.split(separator: "/").last)
        withExtendedLifetime(world) {}
        #expect(newestFormat >= Self.formatMin)
        for format in Self.formatMin...newestFormat {
            try #require(
                access(Self.path(format), R_OK) == 0, "format \(format) has no file of a relay")
            let world = RelayWorld()
            let file = "\(world.folder)/\(name)"
            _ = try shell(file, ".read \(Self.path(format))")
            #expect(chmod(file, 0o600) == 0)
            let isPresent = format == newestFormat
            if isPresent { #expect(try emptyTables(of: file) == []) }
            let space = try world.store()
            #expect(try space.examine() == [])
            space.close()
            let desk = try Desk(world)
            // The spaces of earlier formats have no secret.
            let approach = isPresent ? Self.keyed(2) : { _ in }
            let tablet = desk.relayHello(3, approach)
            let heard = desk.heard(by: tablet)
            #expect(Set(Self.changes(in: heard)) == Set(Self.changes))
            #expect(heard.downloadDone?.rows.count == 2)
            if isPresent {
                #expect(heard.relayHelloReply?.rekeyMessages == [Self.rekeyMessage.mark])
                let marks = [VersionMark(of: Self.changes[0])]
                #expect(heard.contains(.unreadable(UnreadableVersions(marks))))
            }
            // It goes on: a later version replaces those that it includes.
            desk.say(tablet, Desk.batch([Desk.change(2, 1, 3)], through: 1))
            desk.commit()
            let watch = desk.relayHello(4, approach)
            #expect(desk.changes(watch).count == Self.changes.count)
            desk.take(desk.node.close(now: world.now))
        }
    }
}
