import Core
import Glibc
import Relay
import RelayServer
import Storage
import Testing

@Suite("The list of devices that are out")
struct RelayPutOutListTests {
    private static let device = RelayPutOut(
        space: SpaceID(value: 7), generation: 2, fingerprint: [UInt8](repeating: 9, count: 32))

    @Test("a device that was added is in the list, and the folder is flushed behind the new file")
    func added() throws {
        let folder = "/tmp/tandem-put-out-\(getpid())"
        mkdir(folder, 0o700)
        let path = folder + "/" + RelayPutOutList.fileName
        defer {
            unlink(path)
            rmdir(folder)
        }
        let disk = FlushedDisk()
        var list = RelayPutOutList(in: folder, on: disk)
        #expect(try list.read() == [])
        try list.add(Self.device)
        #expect(disk.flushed == [path])
        #expect(disk.isThere == [true], "it has its name by then")
        #expect(try list.read() == [Self.device])
        try list.add(Self.device)
        #expect(disk.flushed == [path], "nothing was written")
        disk.isFailing = true
        #expect(throws: RelayPutOutFault.self) {
            try list.add(
                RelayPutOut(
                    space: SpaceID(value: 8), generation: 1, fingerprint: Self.device.fingerprint))
        }
    }
}

/// A disk that is only asked to flush folders.
private final class FlushedDisk: StoreDisk {
    var flushed: [String] = []
    var isThere: [Bool] = []
    var isFailing = false

    func flushFolder(of path: String) throws(StoreFault) {
        if isFailing { throw .diskFull(path: path) }
        flushed.append(path)
        isThere.append(access(path, F_OK) == 0)
    }

    var databaseSystem: String? { nil }
    var isOutOfSpace: Bool { false }
    func holder(ofDatabase path: String) -> String { "" }
    func opener(ofLockFile path: String) -> [LockHolder] { [] }
    func pause(microseconds: UInt32) {}
    func exists(_ path: String) -> Bool { false }
    func makeFolder(_ path: String) throws(StoreFault) {}
    func makePrivateFile(_ path: String) throws(StoreFault) {}
    func fileNames(in folder: String) -> [String] { [] }
    func byteCount(of path: String) -> Int { 0 }
    func read(_ path: String) -> [UInt8]? { nil }
    func replace(_ path: String, with bytes: [UInt8]) throws(StoreFault) {}
    func move(_ path: String, to other: String) throws(StoreFault) {}
    func remove(_ path: String) {}
    func identify(_ path: String) throws(StoreFault) -> FileIdentity {
        throw .readOnly(path: path)
    }
    func openLockFile(_ path: String) throws(StoreFault) -> any LockFile {
        throw .readOnly(path: path)
    }
}
