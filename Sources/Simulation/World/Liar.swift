import Core

/// What stands between an honest relay and a device on one link, and lies to the device.
///
/// The relay never knows: it gets no acknowledgement of what it has not sent.
struct Liar {
    let lies: [RelayLie]
    let place: RelayPlace
    /// Who is lied to.
    let device: String
    private var decoder = FrameDecoder()
    /// How many batches the device was given.
    private var batchCount: UInt64 = 0
    /// Which of these the relay knows nothing of.
    private var forged: [UInt64] = []
    /// How many uploads were acknowledged that the relay has not got.
    private var swallowedCount: UInt64 = 0
    private var passedCount = 0
    private var epoch: EpochID?
    private var chance: Chance

    init(_ lies: [RelayLie], at place: RelayPlace, to device: String, _ chance: Chance) {
        self.lies = lies
        self.place = place
        self.device = device
        self.chance = chance
    }

    // MARK: From the device

    /// What came from the device, as the relay gets it, and what the device is answered in its place.
    mutating func hear(_ bytes: [UInt8]) -> (passed: [Message], answers: [Message])? {
        decoder.append(bytes)
        var (passed, answers): ([Message], [Message]) = ([], [])
        do throws(WireFault) {
            while let message = try decoder.next() {
                switch message {
                case .approach(let approach):
                    epoch = approach.read?.checkpoint.epoch
                    passed.append(message)
                case .changes, .upload, .part:
                    guard lies.contains(.claimingUploads) else {
                        passed.append(message)
                        continue
                    }
                    if case .part = message { continue }
                    swallowedCount += 1
                    answers.append(.acknowledge(swallowedCount))
                case .acknowledge(let count):
                    let unknown = forged.count { $0 <= count }
                    if forged.contains(count) { continue }
                    passed.append(.acknowledge(count - UInt64(unknown)))
                case .letter where lies.contains(.keepingLetters): continue
                default: passed.append(message)
                }
            }
        } catch {
            return nil
        }
        return (passed, answers)
    }

    // MARK: To the device

    /// What the device is told in the place of a message.
    mutating func told(_ message: Message) -> [Message] {
        switch message {
        case .welcome(var welcome):
            if lies.contains(.claimingUploads), let known = welcome.uploaded {
                welcome.uploaded = Checkpoint(epoch: known.epoch, sequence: known.sequence + 1000)
            }
            if lies.contains(.claimingReads) {
                welcome.start = Checkpoint(epoch: welcome.start.epoch, sequence: welcome.reached)
            }
            return [.welcome(welcome)]
        case .letter(var letter):
            if lies.contains(.keepingLetters) { return [] }
            if lies.contains(.tampering), !letter.bytes.isEmpty {
                letter.bytes[chance.below(letter.bytes.count)] ^= 1
            }
            return [.letter(letter)]
        case .changes(var batch):
            batchCount += 1
            batch.changes = falsified(batch.changes)
            return [.changes(batch)]
        case .standing(var standing):
            standing.notices = falsified(standing.notices)
            var messages: [Message] = [.standing(standing)]
            let repeatable =
                lies.contains(.repeating) ? place.repeatable(of: World.space) : []
            if !repeatable.isEmpty, chance.happens(1, in: 2) {
                batchCount += 1
                forged.append(batchCount)
                let old = (0..<3).map { _ in chance.pick(repeatable) }
                messages.insert(.changes(ChangeBatch(changes: old, through: nil)), at: 0)
            }
            return messages
        default: return [message]
        }
    }

    private mutating func falsified(_ changes: [Change]) -> [Change] {
        var changes = changes
        for lie in lies {
            switch lie {
            case .withholding:
                changes = changes.filter { _ in
                    passedCount += 1
                    return passedCount % 2 == 0
                }
            case .withholdingFrom(device): changes = []
            case .repeating: changes += place.repeatable(of: World.space).suffix(2)
            case .tampering:
                changes = changes.map { change in
                    var body = change.body
                    if !body.isEmpty { body[chance.below(body.count)] ^= 1 }
                    return Change(
                        id: change.id, clock: change.clock, body: body, isAside: change.isAside)
                }
            case .swappingRecords: changes = swapped(changes)
            case .raisingClocks:
                changes = changes.map { change in
                    var clock = change.clock
                    for entry in clock.entries { clock.set(entry.counter + 5, of: entry.replica) }
                    return Change(
                        id: change.id, clock: clock, body: change.body, isAside: change.isAside)
                }
            default: continue
            }
        }
        return changes
    }

    private func swapped(_ changes: [Change]) -> [Change] {
        let ids = changes.map(\.id) + place.memory.map(\.id)
        return changes.map { change in
            let other = ids.first { $0 != change.id } ?? change.id
            return Change(
                id: other, clock: change.clock, body: change.body, isAside: change.isAside)
        }
    }

    private func falsified(_ notices: [Standing.Notice]) -> [Standing.Notice] {
        var notices = notices
        for lie in lies {
            switch lie {
            case .withholdingFrom(device): notices = []
            case .replayingStatements:
                for index in notices.indices {
                    guard let first = place.firstNotices[notices[index].replica] else { continue }
                    notices[index].bytes = first
                }
            case .swappingStatements:
                let bytes = notices.map(\.bytes)
                let others = place.firstNotices.sorted { $0.key < $1.key }.map(\.value)
                for index in notices.indices {
                    let other = (bytes + others).first { $0 != bytes[index] }
                    notices[index].bytes = other ?? bytes[index]
                }
            default: continue
            }
        }
        return notices
    }
}
