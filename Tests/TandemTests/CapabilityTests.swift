import Tandem
import Testing

@Suite("The program and the library do the same", .timeLimit(.minutes(30)))
struct CapabilityTests {
    /// A step of a scenario: what was done, and what came of it.
    typealias Trace = [String]

    /// Plays a scenario by the program and by the library, and expects one trace.
    private func expectSame(
        _ body: (any DrivenDevice.Type, TestFolder, _ relay: String) async -> Trace
    ) async throws {
        var rollback: [Trace] = []
        for kind: any DrivenDevice.Type in [ProgramDevice.self, LibraryDevice.self] {
            let folder = TestFolder()
            let relay = try #require(folder.startRelay())
            defer { folder.endRelay() }
            rollback.append(await body(kind, folder, relay))
        }
        #expect(rollback[0] == rollback[1])
        #expect(!rollback[0].isEmpty)
    }

    /// Two devices of one space.
    private func pair(
        _ kind: any DrivenDevice.Type, _ folder: TestFolder, _ relay: String
    ) -> (any DrivenDevice, any DrivenDevice, Trace) {
        let (one, two) = (kind.init(in: folder, named: "one"), kind.init(in: folder, named: "two"))
        var trace = ["make \(one.make())"]
        trace.append("join \(two.join(one.invite(at: relay)))")
        trace.append("sync \(one.sync(with: nil))")
        return (one, two, trace)
    }

    @Test("pairing, a name that is taken, and nobody to sync with")
    func pairing() async throws {
        try await expectSame { kind, folder, relay in
            let alone = kind.init(in: folder, named: "alone")
            var trace = ["make \(alone.make())", "sync \(alone.sync(with: nil))"]
            trace.append("sync \(alone.sync(with: "127.0.0.1:1"))")
            trace.append("pause \(alone.pause())")
            let (one, two, more) = pair(kind, folder, relay)
            trace += more
            trace.append("rename \(two.rename(to: "one"))")
            trace.append("rename \(two.rename(to: "phone"))")
            trace.append("sync \(two.sync(with: nil)), \(one.sync(with: nil))")
            return trace + one.facts() + two.facts()
        }
    }

    @Test("a code that was used before lets nobody in and leaves nothing behind")
    func lateUsers() async throws {
        try await expectSame { kind, folder, relay in
            let one = kind.init(in: folder, named: "one")
            var trace = ["make \(one.make())"]
            let code = one.invite(at: relay)
            for name in ["two", "three"] {
                trace.append("join \(kind.init(in: folder, named: name).join(code))")
            }
            trace.append("three is gone: \(folder.lacks("three"))")
            trace.append("join \(kind.init(in: folder, named: "four").join("no code"))")
            trace.append("sync \(one.sync(with: nil))")
            return trace + one.facts() + one.log()
        }
    }

    @Test("a revoked device is refused and knows it, and cannot invite")
    func revoking() async throws {
        try await expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more
            trace.append("revoke \(one.revoke("two"))")
            trace.append("revoke \(one.revoke("one"))")
            trace.append("sync \(two.sync(with: nil))")
            trace.append("invite is empty: \(two.invite(at: relay).isEmpty)")
            return trace + one.facts() + two.facts() + one.log() + two.log()
        }
    }

    @Test(
        "deletes of all records are held until they are accepted, and a snapshot brings them back")
    func heldDeletes() async throws {
        try await expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more
            trace.append("add \(one.add(30)), \(one.sync(with: nil)), \(two.sync(with: nil))")
            trace += two.facts()
            trace.append("delete \(one.deleteAll()), \(one.sync(with: nil))")
            trace.append("sync \(two.sync(with: nil)), \(two.snapshotCount()) snapshots")
            trace += two.facts()
            trace.append("accept \(two.acceptDeletes()), \(two.sync(with: nil))")
            trace += two.facts()
            trace.append("restore \(two.restoreLatest()), \(two.sync(with: nil))")
            trace.append("sync \(one.sync(with: nil))")
            return trace + one.facts() + two.facts()
        }
    }

    @Test(
        "deletes that are refused take nothing away, and their records come back at the other device"
    )
    func refusing() async throws {
        try await expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more
            trace.append("add \(one.add(30)), \(one.sync(with: nil)), \(two.sync(with: nil))")
            trace.append("delete \(one.deleteAll()), \(one.sync(with: nil))")
            trace.append("sync \(two.sync(with: nil))")
            trace.append("refuse \(two.refuseDeletes()), \(two.sync(with: nil))")
            trace += two.facts()
            trace.append("sync \(one.sync(with: nil))")
            return trace + one.facts() + two.facts()
        }
    }

    @Test(
        "what a revoked device did is taken back, and nobody who is not refused is admitted again")
    func takingBack() async throws {
        try await expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more
            trace.append("add \(one.add(5)), \(one.sync(with: nil)), \(two.sync(with: nil))")
            trace.append("edit \(two.retitle("item 0", to: "junk")), \(two.deleteAll())")
            trace.append("sync \(two.sync(with: nil)), \(one.sync(with: nil))")
            trace += one.facts()
            trace.append("take back \(one.revoke("two", takesBack: true))")
            trace.append("again \(one.revoke("two", takesBack: true))")
            trace.append("admit \(one.admit("two")), \(one.admit("nobody"))")
            trace.append("sync \(two.sync(with: nil)), \(one.sync(with: nil))")
            return trace + one.facts() + two.facts()
        }
    }

    @Test("beside what keeps a store in sync nothing joins, and it can be paused")
    func daemon() async throws {
        let folder = TestFolder()
        let relay = try #require(folder.startRelay())
        defer { folder.endRelay() }
        let code = {
            let host = LibraryDevice(in: folder, named: "host")
            _ = host.make()
            return host.invite(at: relay)
        }()
        let byProgram = ProgramDevice(in: folder, named: "program")
        #expect(byProgram.make() == .done)
        folder.run(
            "sh", "-c",
            "'\(TestFolder.program("tandem"))' --store '\(folder.path)/program' daemon --listen "
                + "127.0.0.1:0 > /dev/null 2>&1 & echo $! > '\(folder.path)/daemon'; "
                + "for i in $(seq 100); do test -S '\(folder.path)/program/daemon.sock' && exit; "
                + "sleep 0.1; done")
        let byLibrary = LibraryDevice(in: folder, named: "library")
        #expect(byLibrary.make() == .done)
        let service = SyncService(for: try byLibrary.opened(), listening: "127.0.0.1:0")
        try await service.start()
        for device: any DrivenDevice in [byProgram, byLibrary] {
            #expect(device.join(code) == .retryLater)
            #expect(device.pause() == .done)
        }
        await service.stop()
        folder.run("sh", "-c", "kill $(cat '\(folder.path)/daemon')")
        #expect(byLibrary.pause() == .unavailable)
    }

    @Test("a damaged store goes on from a snapshot, and no store is made where one is gone")
    func damaged() async throws {
        try await expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more
            trace.append("add \(one.add(30)), \(one.sync(with: nil)), \(two.sync(with: nil))")
            trace.append(
                "delete \(one.deleteAll()), \(one.sync(with: nil)), \(two.sync(with: nil))")
            trace.append("backup \(two.backup(to: "copy")), \(two.backup(to: "copy"))")
            let database = "\(folder.path)/two/store.db"
            folder.run("sh", "-c", "rm '\(database)'*; printf 'no database' > '\(database)'")
            trace.append("sync \(two.sync(with: nil))")
            trace.append("start over \(two.startOver())")
            trace.append("sync \(two.sync(with: nil))")
            trace += two.facts()
            folder.run("sh", "-c", "rm '\(folder.path)/one/store.db'*")
            trace.append("make \(one.make())")
            trace.append("join \(one.join(two.invite(at: relay)))")
            return trace
        }
    }

    @Test("edits are kept, deleted records come back, and purged ones do not")
    func edits() async throws {
        try await expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more
            trace.append("add \(one.add(3)), \(one.retitle("item 1", to: "other"))")
            trace.append("missing \(one.retitle("item 9", to: "other"))")
            trace.append("sync \(one.sync(with: nil)), \(two.sync(with: nil))")
            trace += two.facts()
            trace.append("delete \(two.deleteAll()), \(two.restoreDeleted())")
            trace += two.facts()
            trace.append("delete \(two.deleteAll()), \(two.purgeDeleted())")
            trace.append("sync \(two.sync(with: nil)), \(one.sync(with: nil))")
            return trace + one.facts() + two.facts()
        }
    }

    @Test("two titles are a conflict, until either device chooses one")
    func conflicts() async throws {
        try await expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more + ["nothing \(one.resolveTitles(mine: true))"]
            trace.append("add \(one.add(2)), \(one.sync(with: nil)), \(two.sync(with: nil))")
            trace.append(
                "edit \(one.retitle("item 0", to: "a")), \(two.retitle("item 0", to: "b"))")
            trace.append(
                "edit \(one.retitle("item 1", to: "c")), \(two.retitle("item 1", to: "d"))")
            trace.append("sync \(one.sync(with: nil)), \(two.sync(with: nil))")
            trace.append("sync \(one.sync(with: nil))")
            trace += one.facts().filter { $0.contains("conflicts") }
            trace += two.facts().filter { $0.contains("conflicts") }
            trace.append("resolve \(one.resolveTitles(mine: false)), \(one.sync(with: nil))")
            trace.append("sync \(two.sync(with: nil))")
            return trace + one.facts() + two.facts()
        }
    }

    @Test("an edit made while apart from a purge is a conflict, until it is copied or dropped")
    func editedAfterPurge() async throws {
        try await expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more
            func sync() {
                trace.append("sync \(one.sync(with: nil)), \(two.sync(with: nil))")
                trace.append("sync \(one.sync(with: nil))")
                trace += one.facts() + two.facts()
            }
            trace.append("add \(one.add(2))")
            sync()
            trace.append("purge \(one.deleteAll()), \(one.purgeDeleted())")
            trace.append("edit \(two.retitle("item 0", to: "kept"))")
            sync()
            trace.append("copy \(one.copyFromPurged()), \(two.copyFromPurged())")
            sync()
            trace.append("copy \(one.copyFromPurged()), drop \(two.letGoOfPurged())")
            trace.append("purge \(one.deleteAll()), \(one.purgeDeleted())")
            trace.append("edit \(two.retitle("kept", to: "again"))")
            sync()
            trace.append("drop \(two.letGoOfPurged())")
            sync()
            return trace
        }
    }

    @Test("a device that serves is synced with directly, by its key, and says where records are")
    func servedDevices() async throws {
        try await expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more + ["sync \(two.sync(with: nil))"]
            let key = two.fingerprint(of: "one")
            trace.append("add \(two.add(1))")
            trace += two.progress(of: "item 0")
            guard let index = await one.serve() else { return ["does not serve"] }
            trace.append("direct \(two.sync(with: "\(index)#\(key)"))")
            let stranger = kind.init(in: folder, named: "stranger")
            trace.append("make \(stranger.make())")
            trace.append("stranger \(stranger.sync(with: "\(index)#\(key)"))")
            trace.append("other space \(stranger.sync(with: index))")
            trace.append("pause \(one.pause()), \(one.resume())")
            await one.stopServing()
            trace.append("gone \(two.sync(with: "\(index)#\(key)")), \(one.resume())")
            trace.append("relay \(two.sync(with: nil)), \(one.sync(with: nil))")
            // Whether the service stored at the relay what it got before it was stopped is a
            // matter of time; that the second device hears of it now is not.
            trace.append("relay \(two.sync(with: nil))")
            trace += two.progress(of: "item 0")
            return trace + one.facts() + two.facts()
        }
    }

    @Test("deletes that are refused by bringing the records back are held no more")
    func refusedDeletes() async throws {
        try await expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more
            trace.append("add \(one.add(30)), \(one.sync(with: nil)), \(two.sync(with: nil))")
            trace.append("delete \(one.deleteAll()), \(one.sync(with: nil))")
            trace.append("sync \(two.sync(with: nil))")
            trace += two.facts()
            trace.append("back \(one.restoreDeleted()), \(one.sync(with: nil))")
            trace.append("sync \(two.sync(with: nil)), \(one.sync(with: nil))")
            return trace + one.facts() + two.facts()
        }
    }

    @Test("an exposed key is found and closed, and what can be read of a store is rescued")
    func repairs() async throws {
        try await expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more
            trace.append("add \(one.add(3)), \(one.sync(with: nil)), \(two.sync(with: nil))")
            trace.append("examine \(two.examine())")
            folder.run("chmod", "644", "\(folder.path)/two/device.key")
            trace.append("examine \(two.examine()), \(two.repair()), \(two.examine())")
            trace.append("\(two.snapshotCount()) snapshots")
            // A page of the middle is lost.
            folder.run(
                "sh", "-c",
                "cd '\(folder.path)/two'; sqlite3 store.db 'PRAGMA wal_checkpoint(TRUNCATE)'; "
                    + "printf 'no page of a tree' | dd of=store.db bs=4096 seek=1 conv=notrunc")
            trace.append("rescue \(two.rescue())")
            trace.append("sync \(two.sync(with: nil)), \(one.sync(with: nil))")
            return trace + two.facts().filter { $0.hasPrefix("has") }
        }
    }

    @Test("a file of keys that others can read stops sync and backup until it is repaired")
    func exposedKeys() async throws {
        try await expectSame { kind, folder, relay in
            let (_, two, more) = pair(kind, folder, relay)
            var trace = more
            for file in ["device.key", "keyring"] {
                folder.run("chmod", "640", "\(folder.path)/two/\(file)")
                #expect(two.sync(with: nil) == .configuration)
                #expect(two.sync(with: relay) == .configuration)
                #expect(two.backup(to: "copy of \(file)") == .configuration)
                trace.append("repair \(two.repair()), \(two.sync(with: nil))")
            }
            let list = "\(folder.path)/two/trusted"
            folder.run("sh", "-c", "printf 'no fingerprint' > '\(list)'")
            #expect(two.sync(with: nil) == .configuration)
            folder.run("rm", list)
            return trace + ["sync \(two.sync(with: nil))"] + two.facts()
        }
    }

    @Test(
        "a copy that lacks the keys is refused until its new key is trusted, and from then on again"
    )
    func trustedDevices() async throws {
        try await expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more + ["add \(two.add(2)), \(two.sync(with: nil))"]
            trace.append("sync \(one.sync(with: nil))")
            folder.run(
                "sh", "-c",
                "cd '\(folder.path)'; cp -r two copy; rm copy/keyring copy/device.key")
            let copy = kind.init(in: folder, named: "copy")
            let (key, list) = (two.fingerprint(of: "one"), "\(folder.path)/one/trusted")
            guard let index = await one.serve() else { return ["does not serve"] }
            trace.append("nobody \(copy.sync(with: nil)), \(copy.rename(to: "copy"))")
            #expect(copy.sync(with: "\(index)#\(key)") == .refused)
            #expect(copy.retitle("item 0", to: "later") == .done)
            // The fingerprint is the hash of the public key.
            folder.run(
                "sh", "-c",
                "openssl pkey -in '\(folder.path)/copy/device.key' -pubout -outform der | sha256sum "
                    + "| tr -d '-' > '\(list)'")
            #expect(copy.sync(with: "\(index)#\(key)") == .done)
            trace += one.facts() + copy.facts()
            folder.run("rm", list)
            #expect(copy.retitle("item 1", to: "too late") == .done)
            trace.append("distrusted \(copy.sync(with: "\(index)#\(key)"))")
            await one.stopServing()
            return trace + one.facts() + copy.facts() + one.log() + copy.log()
        }
    }

    @Test("deletes that are held while a daemon runs are taken by it once they are accepted")
    func heldByDaemons() async throws {
        try await expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more
            trace.append("add \(one.add(30)), \(one.sync(with: nil)), \(two.sync(with: nil))")
            guard await two.serve() != nil else { return ["does not serve"] }
            trace.append("delete \(one.deleteAll()), \(one.sync(with: nil))")
            #expect(await two.comes("30 deletes held"))
            trace += two.facts().filter { !$0.hasPrefix("green") }
            trace.append("\(two.snapshotCount()) snapshots, accept \(two.acceptDeletes())")
            #expect(await two.comes("0 records"))
            await two.stopServing()
            trace.append("sync \(two.sync(with: nil)), \(one.sync(with: nil))")
            return trace + one.facts() + two.facts()
        }
    }

    @Test(
        "a replacement of a store that was cut short is finished by a rescue, and by nothing else")
    func unfinishedReplacements() async throws {
        try await expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more
            trace.append("add \(one.add(3)), \(one.sync(with: nil)), \(two.sync(with: nil))")
            folder.run(
                "sh", "-c",
                "cd '\(folder.path)/two'; sqlite3 store.db 'PRAGMA wal_checkpoint(TRUNCATE)'; "
                    + "rm -f store.db-wal store.db-shm; mv store.db store.db.new")
            trace.append("make \(two.make()), join \(two.join(one.invite(at: relay)))")
            #expect(two.sync(with: nil) == .configuration)
            #expect(two.examine() == .configuration)
            #expect(two.rescue() == .done)
            #expect(two.facts().contains("3 records"))
            trace.append("sync \(two.sync(with: nil)), \(one.sync(with: nil))")
            return trace + one.facts() + two.facts()
        }
    }

    @Test("edits of a device are undone and made again, before a sync as after it")
    func undoing() async throws {
        try await expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            #expect(one.undo(nil) == .nothing)
            #expect(one.redo() == .nothing)
            var trace = more + ["add \(one.add(3)), \(one.retitle("item 0", to: "a"))"]
            trace.append("sync \(one.sync(with: nil)), \(two.sync(with: nil))")
            trace.append("rename \(one.rename(to: "desk")), \(one.deleteAll())")
            trace += one.changes()
            trace.append("undo \(one.undo(nil)), \(one.undo(nil))")
            trace += one.facts() + one.changes()
            trace.append("redo \(one.redo())")
            trace += one.facts() + one.changes()
            // An undo of the list, what is undone already, and a number that is not there.
            trace.append("undo \(one.undo(1)), \(one.undo(1)), \(one.undo(99))")
            trace += one.facts() + one.changes()
            trace.append("edit \(one.retitle("item 0", to: "b")), \(one.redo())")
            trace.append("undo \(one.undo(nil)), \(one.sync(with: nil))")
            trace.append("sync \(two.sync(with: nil)), \(two.undo(nil)), \(two.redo())")
            return trace + one.facts() + two.facts() + two.changes()
        }
    }

    @Test("an edit that another device edited later is undone by force alone")
    func refusedUndoes() async throws {
        try await expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more + ["add \(one.add(2)), \(one.retitle("item 0", to: "a"))"]
            trace.append("sync \(one.sync(with: nil)), \(two.sync(with: nil))")
            trace.append("edit \(two.retitle("a", to: "theirs")), \(two.sync(with: nil))")
            trace.append("sync \(one.sync(with: nil))")
            #expect(one.undo(nil) == .refused)
            trace += one.facts() + one.changes()
            trace.append("undo \(one.undo(nil, isForced: true)), \(one.sync(with: nil))")
            trace += one.facts() + one.changes()
            trace.append("delete \(two.deleteAll()), \(two.undo(nil)), \(two.sync(with: nil))")
            trace.append("sync \(one.sync(with: nil)), \(one.redo()), \(one.redo())")
            return trace + one.facts() + two.facts() + two.changes()
        }
    }

    @Test("a copied folder is another device from its first opening on, and catches up")
    func copies() async throws {
        try await expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more + ["add \(one.add(3)), \(one.sync(with: nil))"]
            folder.run("cp", "-r", "\(folder.path)/one", "\(folder.path)/copy")
            let copy = kind.init(in: folder, named: "copy")
            trace.append("retitle \(one.retitle("item 0", to: "later")), \(one.sync(with: nil))")
            trace += copy.facts()
            trace.append("sync \(copy.sync(with: nil)), \(one.sync(with: nil))")
            trace.append("sync \(two.sync(with: nil))")
            return trace + copy.facts() + one.facts() + two.facts()
        }
    }

    @Test("a backup that takes the place of a store is another device, with the same records")
    func oldStores() async throws {
        try await expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more + ["add \(two.add(2)), \(two.sync(with: nil))"]
            folder.run("mkdir", "-m", "755", "\(folder.path)/old")
            trace.append("backup \(two.backup(to: "old"))")
            // The folder was there: the file itself is for its owner alone.
            let mode = "test $(stat -c %a '\(folder.path)/old/store.db') = 600"
            trace.append("private \(folder.run("sh", "-c", mode) == 0)")
            trace.append("retitle \(two.retitle("item 0", to: "lost")), \(two.sync(with: nil))")
            folder.run(
                "sh", "-c",
                "cd '\(folder.path)'; rm -r two; mv old two")
            trace.append("sync \(two.sync(with: nil)), \(one.sync(with: nil))")
            return trace + one.facts() + two.facts()
        }
    }
}
