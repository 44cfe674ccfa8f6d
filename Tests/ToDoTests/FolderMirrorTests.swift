import Glibc
import Testing
import ToDo

@Suite("A folder on the disk that is kept in step")
struct FolderMirrorTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/mirror-tests-XXXXXX".utf8CString)
        let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer {
            unlink(folder + "/a")
            rmdir(folder)
        }
        try body(folder)
    }

    @Test("the path of a folder that is not there yet has no links and no dots")
    func futurePath() throws {
        let store = try FolderWorld(zone: .utc).store
        var rehearsal = FolderMirror.Options()
        rehearsal.isRehearsal = true
        func path(_ text: String) throws -> String {
            try FolderMirror(store, at: text, zone: .utc, rehearsal, wallMilliseconds: { 0 }).path
        }
        try withFolder { folder throws in
            #expect(symlink(folder, folder + "/a") == 0)
            #expect(try path(folder + "/a/new") == folder + "/new")
            #expect(try path(folder + "/./new/") == folder + "/new")
            #expect(try path("/new") == "/new")
            #expect(try path(folder + "/b/new") == folder + "/b/new")
        }
    }
}
