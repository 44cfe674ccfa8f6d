import Transport

#if Encryption
    import Glibc
    import Devices
    import Crypto
    import Storage
    import Testing

    @Suite("What a refused join leaves")
    struct JoinRollbackTests {
        private let folder = "/tmp/tandem-traces-\(getpid())-\(SystemEnvironment.random())"
        private var disk: any StoreDisk { SystemEnvironment.environment().disk }

        private func clear() {
            for name in disk.fileNames(in: folder) { disk.remove(folder + "/" + name) }
            rmdir(folder)
        }

        private func makeStore() throws -> Store {
            try Store.create(
                folder: folder, schema: [], deviceName: "device",
                environment: SystemEnvironment.environment())
        }

        @Test("nothing, if nobody else was there")
        func nothing() throws {
            defer { clear() }
            let rollback = JoinRollback(before: folder)
            try disk.makeFolder(folder)
            _ = try DeviceCertificate.kept(at: DeviceCertificate.path(in: folder))
            rollback.remove()
            #expect(!disk.exists(folder))
        }

        @Test("the store that another program made there meanwhile")
        func foreign() throws {
            defer { clear() }
            let rollback = JoinRollback(before: folder)
            let other = try makeStore()
            let key = DeviceCertificate.path(in: folder)
            _ = try DeviceCertificate.kept(at: DeviceCertificate.path(in: folder))
            rollback.remove()
            #expect(disk.exists(StorePaths(folder: folder).database) && disk.exists(key))
            other.close()
        }

        @Test("a folder that was there, with what was in it")
        func folderThatWasThere() throws {
            defer { clear() }
            try disk.makeFolder(folder)
            try disk.replace(folder + "/notes", with: [1])
            let rollback = JoinRollback(before: folder)
            _ = try DeviceCertificate.kept(at: DeviceCertificate.path(in: folder))
            rollback.remove()
            #expect(Set(disk.fileNames(in: folder)) == ["notes"])
        }

        @Test("what else is in the folder")
        func file() throws {
            defer { clear() }
            let rollback = JoinRollback(before: folder)
            try disk.makeFolder(folder)
            try disk.replace(folder + "/notes", with: [1])
            rollback.remove()
            #expect(disk.exists(folder + "/notes"))
        }
    }
#endif
