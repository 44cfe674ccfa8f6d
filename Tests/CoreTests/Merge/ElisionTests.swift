import Core
import TestSupport
import Testing

@Suite("Values left out")
struct ElisionTests {
    /// The change as it arrives: writes that `known` covers come without their values.
    private func elided(_ record: RecordState, known: VersionVector) throws -> RecordState {
        let body = BodyCodec.encode(record, in: .number(1), known: known)
        return try BodyCodec.decode(body, clock: record.clock).record
    }

    // Goal: leaving out what the reader has changes nothing, and leaving out what it lacks is noticed.
    // Method: random programs of edits and merges on two devices; at each point one device sends to
    // the other, with the knowledge that the other truly has and with knowledge that it only claims.
    @Test("merging a change without known values is merging the whole change, or asks for it")
    func elisionChangesNothing() throws {
        var asked = 0
        for seed in 1...150 as ClosedRange<UInt64> {
            var chance = SplitMix64(seed: seed)
            var devices = [Device(0, at: 3), Device(1, at: 2), Device(2, at: 1)]
            for _ in 0..<25 {
                let index = chance.below(3)
                step(&devices, index, &chance)
                let (sender, reader) = (devices[index].record, devices[chance.below(3)].record)
                if sender.isEmpty { continue }
                let whole = RecordMerge.merged(reader, sender)
                let honest = RecordMerge.merged(reader, try elided(sender, known: reader.clock))
                #expect(honest == whole, "seed \(seed)")
                let claimed = reader.clock.joined(with: devices[chance.below(3)].record.clock)
                let result = RecordMerge.merged(reader, try elided(sender, known: claimed))
                #expect(result == whole || result.hasElidedValue, "seed \(seed)")
                asked += result.hasElidedValue ? 1 : 0
            }
        }
        #expect(asked > 50, "the false claims were never put to the test")
    }

    private func step(_ devices: inout [Device], _ index: Int, _ chance: inout SplitMix64) {
        switch chance.below(8) {
        case 0: _ = try? devices[index].delete()
        case 1: _ = try? devices[index].restore()
        case 2: _ = try? devices[index].purge(isForced: true)
        case 3, 4: devices[index].take(devices[chance.below(devices.count)])
        default:
            let fields: [Field] = [.number(2), .number(3), .custom("note"), .number(70)]
            let field = chance.pick(fields)
            _ = try? devices[index].save(
                field, .int(Int64(chance.below(3))), resolves: chance.chance(1, in: 2))
        }
    }

    @Test("a value left out on one side is the other's, in either order")
    func elidedTakesTheOther() throws {
        var random = RandomRecords(seed: 31)
        for _ in 0..<300 {
            let record = random.record()
            let bare = try elided(record, known: random.seen(in: record.clock))
            #expect(RecordMerge.merged(record, bare) == record)
            #expect(RecordMerge.merged(bare, record) == record)
        }
    }

    @Test("an unwritten reader is told that values are missing")
    func emptyReaderAsks() throws {
        var device = Device(0)
        try device.save(.number(2), .text("milk"))
        let bare = try elided(device.record, known: device.record.clock)
        #expect(RecordMerge.merged(RecordState(), bare).hasElidedValue)
        #expect(!device.record.hasElidedValue)
    }
}
