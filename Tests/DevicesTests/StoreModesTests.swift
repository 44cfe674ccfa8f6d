import CLinux
import Core
import DeviceTestSupport
import Devices
import Glibc
import Storage
import Testing
import Transport

@Suite("Modes of a store's files")
struct StoreModesTests {
    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test(
        "a store made in a folder that others can read is its owner's alone, its log and its backup too"
    )
    func madeInOpenFolder() throws {
        let folder = TemporaryFolder()
        chmod(folder.path, 0o755)
        let store = try Store.create(
            folder: folder.path, schema: TemporaryStores.schema, deviceName: "a",
            environment: SystemEnvironment.environment())
        defer { store.close() }
        try TemporaryStores.add("milk", to: store)
        #expect(folder.names.contains("store.db-wal"))
        for name in folder.names { #expect(mode(folder.path + "/" + name) == 0o600, "\(name)") }
        let backup = TemporaryFolder()
        chmod(backup.path, 0o777)
        try store.backup(to: backup.path)
        #expect(mode(backup.path + "/store.db") == 0o600)
        #expect(StoreModes(of: store.paths).others == .mayRead)
        #expect(StoreModes(of: StorePaths(folder: backup.path)).others == .mayWrite)
        chmod(folder.path, 0o700)
        #expect(StoreModes(of: store.paths).others == .nobody)
    }

    @Test("a file that stood there before is its owner's alone, and one of another account refused")
    func stoodThere() throws {
        let names = ["store.db", "store.db-wal", "store.db-journal"]
        for name in names {
            let folder = TemporaryFolder()
            let path = folder.path + "/" + name
            chmod(folder.path, 0o777)
            close(open(path, O_WRONLY | O_CREAT, 0o666))
            chmod(path, 0o666)
            try madeStore(in: folder).close()
            #expect(access(path, F_OK) != 0 || mode(path) == 0o600, "\(name)")
        }
        // Only root can make a file of another account.
        guard geteuid() == 0 else { return }
        for name in names {
            for isLink in [false, true] {
                let folder = TemporaryFolder()
                let path = folder.path + "/" + name
                chmod(folder.path, 0o777)
                let target = isLink ? folder.path + "/planted" : path
                close(open(target, O_WRONLY | O_CREAT, 0o666))
                if isLink { #expect(symlink(target, path) == 0) }
                #expect(lchown(path, 65_534, 65_534) == 0)
                let fault = #expect(throws: StoreFault.self) { try madeStore(in: folder).close() }
                guard case .untrustedFile(path, isLink ? .link : .otherOwner(65_534)) = fault else {
                    Issue.record("\(name): \(String(describing: fault))")
                    continue
                }
                var status = stat()
                #expect(stat(target, &status) == 0 && status.st_size == 0, "\(name)")
            }
        }
    }

    @Test("a store does not open with a file that another account may have put there since")
    func plantedLater() throws {
        let names = [
            "store.db", "store.db-wal", "store.db-shm", "store.db-journal", "identity", "lock",
        ]
        for name in names {
            for plant in Plant.allCases where plant != .owner || geteuid() == 0 {
                let folder = TemporaryFolder()
                try madeStore(in: folder).close()
                chmod(folder.path, 0o777)
                let (path, target) = (folder.path + "/" + name, folder.path + "/planted")
                _ = rename(path, target)
                close(open(target, O_WRONLY | O_CREAT, 0o666))
                switch plant {
                case .link: #expect(symlink(target, path) == 0)
                case .owner:
                    #expect(rename(target, path) == 0 && chown(path, 65_534, 65_534) == 0)
                case .name: #expect(link(target, path) == 0)
                }
                let before = try bytes(plant == .owner ? path : target)
                let fault = #expect(throws: StoreFault.self) { try openedStore(in: folder).close() }
                guard case .untrustedFile(path, plant.reason) = fault else {
                    Issue.record("\(name), \(plant): \(String(describing: fault))")
                    continue
                }
                #expect(try before == bytes(plant == .owner ? path : target), "\(name), \(plant)")
            }
        }
    }

    /// Things that another account leaves in a folder that it can write to.
    private enum Plant: CaseIterable {
        case link, owner, name

        var reason: FileDistrust {
            switch self {
            case .link: .link
            case .owner: .otherOwner(65_534)
            case .name: .otherName
            }
        }
    }

    @Test("a link where a file is about to be put in place is replaced, and not followed")
    func linkedNewFile() throws {
        let folder = TemporaryFolder()
        try madeStore(in: folder).close()
        let target = folder.path + "/elsewhere"
        close(open(target, O_WRONLY | O_CREAT, 0o600))
        #expect(symlink(target, folder.path + "/identity.new") == 0)
        let store = try openedStore(in: folder)
        try TemporaryStores.add("milk", to: store)
        store.close()
        #expect(try bytes(target).isEmpty && !folder.names.contains("identity.new"))
    }

    @Test("links in place of keys, their lock and the list of trusted devices are refused")
    func linkedKeys() throws {
        let folder = TemporaryFolder()
        chmod(folder.path, 0o777)
        let target = folder.path + "/elsewhere"
        close(open(target, O_WRONLY | O_CREAT, 0o600))
        for name in ["device.key", "keyring", "keyring.lock", "trusted"] {
            #expect(symlink(target, folder.path + "/" + name) == 0)
        }
        #expect(
            throws: TrustedDevicesFault.untrusted(path: TrustedDevices.path(in: folder.path), .link)
        ) {
            try TrustedDevices(contentsOf: TrustedDevices.path(in: folder.path))
        }
        #expect(throws: KeyringFault.untrusted(path: Keyring.path(in: folder.path), .link)) {
            try Keyring.read(in: folder.path)
        }
        #expect(throws: KeyringFault.untrusted(path: folder.path + "/keyring.lock", .link)) {
            try Keyring.update(in: folder.path) { _ in nil }
        }
        #if Encryption
            let fault = #expect(throws: CertificateFault.self) {
                try DeviceAccess.certificate(in: folder.path)
            }
            guard case .untrusted = fault else {
                Issue.record("\(String(describing: fault))")
                return
            }
        #endif
    }

    @Test("in a folder of its owner alone own links are followed, and a pipe is refused at once")
    func ownLinks() throws {
        let folder = TemporaryFolder()
        try madeStore(in: folder).close()
        for name in ["store.db", "identity"] {
            let path = folder.path + "/" + name
            #expect(rename(path, folder.path + "/kept-" + name) == 0)
            #expect(symlink("kept-" + name, path) == 0)
        }
        try openedStore(in: folder).close()
        let path = Keyring.path(in: folder.path)
        #expect(mkfifo(path, 0o600) == 0)
        #expect(throws: KeyringFault.untrusted(path: path, .noRegularFile)) {
            try Keyring.read(in: folder.path)
        }
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        try #require(SystemEnvironment.environment().disk.read(path))
    }

    private func openedStore(in folder: TemporaryFolder) throws -> Store {
        try Store.open(
            folder: folder.path, schema: TemporaryStores.schema,
            environment: SystemEnvironment.environment())
    }

    private func madeStore(in folder: TemporaryFolder) throws -> Store {
        try Store.create(
            folder: folder.path, schema: TemporaryStores.schema, deviceName: "a",
            environment: SystemEnvironment.environment())
    }

    @Test("files that others can read are found with a code, and closed by the repair")
    func found() throws {
        let folder = TemporaryFolder()
        let store = try Store.create(
            folder: folder.path, schema: TemporaryStores.schema, deviceName: "a",
            environment: SystemEnvironment.environment())
        let device = Device(store)
        defer { device.close() }
        #expect(try device.repair.examine(now: 0).isClean)
        let database = store.paths.database
        chmod(database, 0o644)
        chmod(database + "-wal", 0o664)
        let examination = try device.repair.examine(now: 0)
        #expect(!examination.isClean)
        #expect(
            examination.repairs == [
                .exposedFile(path: database, mode: 0o644),
                .exposedFile(path: database + "-wal", mode: 0o664),
            ])
        #expect(examination.repairs.map(\.code) == ["exposed-file", "exposed-file"])
        chmod(folder.path, 0o775)
        #expect(
            try device.repair.examine(now: 0).repairs.last
                == .exposedFolder(path: folder.path, mode: 0o775))
        for step in try device.repair.examine(now: 0).repairs { try device.repair.perform(step) }
        #expect(mode(folder.path) == 0o755)
        // In a folder like /tmp others cannot take away what is not theirs.
        chmod(folder.path, 0o1777)
        #expect(try device.repair.examine(now: 0).isClean)
        chmod(folder.path, 0o700)
        #expect(mode(database) == 0o600)
        #expect(mode(database + "-wal") == 0o600)
        #expect(try device.repair.examine(now: 0).isClean)
    }
}
