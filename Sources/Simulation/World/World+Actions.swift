import Session
import Storage

/// Each action of a story and what is done for it.
extension World {
    func perform(_ action: Action, isElsewhere: Bool) throws {
        if try performEdit(action, isElsewhere: isElsewhere) { return }
        if try performMeeting(action) { return }
        switch action {
        case .close(let name): try close(device(name))
        case .open(let name): try start(device(name))
        case .crash(let name): try die(running(name), isPowerCut: false)
        case .losePower(let name): try die(running(name), isPowerCut: true)
        case .crashAfter(let name, let writes):
            armFuse(try running(name), writes: writes, isPowerCut: false)
        case .losePowerAfter(let name, let writes):
            armFuse(try running(name), writes: writes, isPowerCut: true)
        case .copy(let name, let twin): try copy(device(name), to: twin)
        case .backUp(let name, let backup): backUp(try device(name), backup)
        case .restoreBackup(let name, let backup, let manner):
            try restoreBackup(device(name), backup, manner)
        case .limitDisk(let name, let bytes): limitDisk(try device(name), bytes: bytes)
        case .flipBit(let name): try flipBit(device(name))
        case .acceptDeletes(let name): try acceptDeletes(device(name))
        case .runDays(let name, let count): try run(device(name), days: count)
        case .setClock(let name, let day): setClock(try device(name), day: day)
        case .shiftClock(let name, let span): shiftClock(try device(name), milliseconds: span)
        case .driftClock(let name, let rate):
            driftClock(try device(name), partsPerMillion: rate)
        case .visit(let name, let relay): try visit(name, relay)
        case .wipe(let name): try wipe(device(name))
        case .changeSecret(let name): try changeSecret(device(name))
        case .learnSecret(let name): learnSecret(try device(name))
        case .lie(let name, let lie):
            if case .withholdingFrom(let other) = lie { _ = try device(other) }
            try setLies(device(name)) { if !$0.contains(lie) { $0.append(lie) } }
        case .beHonest(let name): try setLies(device(name)) { $0 = [] }
        case .upgrade(let name): try device(name).traits.isNewer = true
        case .attack(let attack, let name):
            hasStrangers = true
            try carryOut(attack, on: running(name))
        case .expect(let expectation): try expect(expectation)
        default: preconditionFailure("an action that nobody carries out")
        }
    }

    private func performEdit(_ action: Action, isElsewhere: Bool) throws -> Bool {
        switch action {
        case .create(let device, let item, let settings):
            try create(device, item, settings, isElsewhere: isElsewhere)
        case .edit(let device, let item, let settings):
            try save(
                device, item, Vocabulary.assignments(settings), StoryWriter.words(of: settings),
                isElsewhere: isElsewhere)
        case .complete(let device, let item):
            try setStatus(device, item, isDone: true, isElsewhere: isElsewhere)
        case .reopen(let device, let item):
            try setStatus(device, item, isDone: false, isElsewhere: isElsewhere)
        case .delete(let device, let item):
            try delete(device, item, isElsewhere: isElsewhere)
        case .restore(let device, let item):
            try restore(device, item, isElsewhere: isElsewhere)
        case .purge(let device, let item, let isForced):
            try purge(device, item, isForced: isForced, isElsewhere: isElsewhere)
        case .resolve(let device, let item, let field, let literal):
            let setting = Setting.value(field: field, literal)
            try save(
                device, item, Vocabulary.assignments([setting]),
                "resolved: \(StoryWriter.words(of: [setting]))", resolves: true,
                isElsewhere: isElsewhere)
        case .openEditor(let device, let item): try openEditor(device, item)
        case .saveEditor(let device, let item, let settings):
            try saveEditor(device, item, settings)
        case .createNewer(let device, let item): try createNewer(device, item)
        case .receiveUnreadable(let device, let item): try receiveUnreadable(device, item)
        default: return false
        }
        return true
    }

    private func performMeeting(_ action: Action) throws -> Bool {
        switch action {
        case .sync(let first, let second): try sync(first, second)
        case .startSync(let first, let second): try start(first, second, isLive: false)
        case .connect(let first, let second): try start(first, second, isLive: true)
        case .disconnect(let first, let second): try disconnect(first, second)
        case .syncAll: try syncAll()
        case .settle: try settle()
        case .wait(let milliseconds): try wait(milliseconds: milliseconds)
        case .cut(let first, let second):
            for link in try links(device(first), device(second)) { breakDown(link) }
            try settle()
        case .cutAfter(let first, let second, let bytes):
            try cutLater(device(first), device(second), bytes)
        case .delay(let from, let to, let least, let most):
            let (from, to) = (try device(from), try device(to))
            network.setDelay(from.lane, to.lane, least...max(least, most))
        case .block(let from, let to): network.block(try device(from).lane, try device(to).lane)
        case .unblock(let from, let to):
            network.unblock(try device(from).lane, try device(to).lane)
            releaseHeld()
        case .partition(let groups):
            network.split(into: try groups.map { try $0.map { try device($0).lane } })
            releaseHeld()
        case .wholeNetwork:
            network.makeWhole()
            releaseHeld()
        case .corrupt(let from, let to):
            network.armFlip(try device(from).lane, try device(to).lane)
        case .loseEnd(let loser, let other): try loseEnd(device(loser), of: device(other))
        case .sendUnknown(let from, let to):
            network.armUnknown(try device(from).lane, try device(to).lane)
        default: return false
        }
        return true
    }

    private func running(_ name: String) throws -> Device {
        let device = try device(name)
        if !device.isRelay { _ = try store(device) }
        guard device.isRunning else {
            throw Refused(.unreachable, "\(device.name) is not running")
        }
        return device
    }

    private func cutLater(_ first: Device, _ second: Device, _ bytes: Int) throws {
        if let open = links(first, second).last {
            open.byteCountLeft = bytes
        } else {
            network.armCut(first.lane, second.lane, bytes: bytes)
        }
    }

    /// One end of a link goes away, and the other hears nothing of it.
    private func loseEnd(_ loser: Device, of other: Device) throws {
        for link in links(loser, other) {
            for side in 0...1
            where link.ends[side].lane == loser.lane && link.ends[side].end == nil {
                link.isHalfOpen = true
                try tell(link, side, .lost)
            }
        }
    }
}
