import Core
import Simulation
import Storage
import TestSupport
import Testing

@Suite("A process that is killed beside another one")
struct KilledBesideTests {
    /// A made-up disk on which something happens when a process asks whether it is the last.
    private final class WatchedDisk: StoreDisk {
        let disk: SimulatedDisk
        var asked: (() -> Void)?

        init(_ disk: SimulatedDisk) { self.disk = disk }

        var databaseSystem: String? { disk.databaseSystem }
        var isOutOfSpace: Bool { disk.isOutOfSpace }
        func exists(_ path: String) -> Bool { disk.exists(path) }
        func makeFolder(_ path: String) throws(StoreFault) { try disk.makeFolder(path) }
        func makePrivateFile(_ path: String) throws(StoreFault) { try disk.makePrivateFile(path) }
        func fileNames(in folder: String) -> [String] { disk.fileNames(in: folder) }
        func byteCount(of path: String) -> Int { disk.byteCount(of: path) }
        func read(_ path: String) -> [UInt8]? { disk.read(path) }
        func replace(_ path: String, with bytes: [UInt8]) throws(StoreFault) {
            try disk.replace(path, with: bytes)
        }
        func move(_ path: String, to other: String) throws(StoreFault) {
            try disk.move(path, to: other)
        }
        func flushFolder(of path: String) throws(StoreFault) { try disk.flushFolder(of: path) }
        func remove(_ path: String) { disk.remove(path) }
        func identify(_ path: String) throws(StoreFault) -> FileIdentity {
            try disk.identify(path)
        }
        func openLockFile(_ path: String) throws(StoreFault) -> any LockFile {
            WatchedLock(try disk.openLockFile(path), self)
        }
        func holder(ofDatabase path: String) -> String { disk.holder(ofDatabase: path) }
        func opener(ofLockFile path: String) -> [LockHolder] { disk.opener(ofLockFile: path) }
        func pause(microseconds: UInt32) {}
    }

    private final class WatchedLock: LockFile {
        private let lock: any LockFile
        private unowned let disk: WatchedDisk

        init(_ lock: any LockFile, _ disk: WatchedDisk) {
            self.lock = lock
            self.disk = disk
        }

        func tryExclusiveLock() -> Bool {
            let asked = disk.asked
            disk.asked = nil
            asked?()
            return lock.tryExclusiveLock()
        }
        func trySharedLock() throws(StoreFault) -> Bool { try lock.trySharedLock() }
        func share() { lock.share() }
        func unlock() { lock.unlock() }
        func read(at offset: Int, count: Int) -> [UInt8] { lock.read(at: offset, count: count) }
        func write(_ bytes: [UInt8], at offset: Int) throws(StoreFault) {
            try lock.write(bytes, at: offset)
        }
        func close() { lock.close() }
    }

    @Test("a commit of a process that is killed while another one closes costs no id, and is there")
    func commitWhileClosing() throws {
        let device = DiskDevice()
        let watched = WatchedDisk(device.disk)
        let first = try device.create()
        let id = first.replica
        try DiskDevice.add("first", to: first)
        let closing = try Store.open(
            folder: DiskDevice.folder, schema: DiskDevice.schema,
            environment: device.environment(on: watched))
        var isAsked = false
        watched.asked = {
            isAsked = true
            _ = try? DiskDevice.add("late", to: first)
            first.abandon()
        }
        closing.close()
        #expect(isAsked)
        // One reads and closes, the next one opens.
        for _ in 0..<2 {
            let reader = try device.open()
            #expect(reader.suspicion == nil && reader.replica == id)
            #expect(try DiskDevice.titles(reader) == ["first", "late"])
            reader.close()
        }
    }
}
