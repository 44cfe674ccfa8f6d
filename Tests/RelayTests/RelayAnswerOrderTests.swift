import Core
import Relay
import RelayTestSupport
import Session
import Storage
import TestSupport
import Testing

@Suite("A relay whose store answers in any order")
struct RelayAnswerOrderTests {
    /// A device of the test: what it has uploaded, been told and read.
    private final class Device {
        let replica: UInt128
        let space: SpaceID
        var id: RelayServerSessionID?
        /// Its own versions, by its own order, and how many of them the relay has acknowledged.
        var written: [Change] = []
        var acknowledged = 0
        /// How much of it went out over the present connection, and from where on.
        var (sent, base) = (0, 0)
        /// Versions of others that came, in order, over all connections.
        var read: [Change] = []
        var batchCount: UInt64 = 0
        var checkpoint: RelayHello.Bookmark?
        var relay: ReplicaID?

        init(_ replica: UInt128, _ space: SpaceID) {
            self.replica = replica
            self.space = space
        }
    }

    private static let spaces = [SpaceID(value: 7), SpaceID(value: 8)]

    /// Devices that write, come and go at random, at a relay whose store answers as late as chance has it, or at once.
    private struct Play {
        let desk: RelayDesk
        let store: LateRelayStore
        var script: SplitMix64
        var delays: SplitMix64
        let devices: [Device]

        init(seed: UInt64, isPrompt: Bool) {
            (desk, store) = RelayDesk.late {
                $0.limits.batchByteCountMax = 300
                $0.limits.windowBatchCount = 4
            }
            store.isPrompt = isPrompt
            script = SplitMix64(seed: seed)
            delays = SplitMix64(seed: seed &* 31)
            devices = (0..<6).map { Device(UInt128($0 + 1), spaces[$0 % 2]) }
        }

        mutating func run(stepCount: Int) throws {
            for _ in 0..<stepCount {
                let device = devices[Int(script.next() % UInt64(devices.count))]
                let choice = script.next() % 16
                let word = script.next()
                switch choice {
                case 0: leave(device)
                case 1...3: come(device)
                case 4...8: write(device, record: word % 12)
                case 9...12: upload(device)
                default: desk.commit()
                }
                try answerSome()
                for device in devices { try hear(device) }
            }
            try settle()
        }

        private mutating func answerSome() throws {
            while !store.calls.isEmpty, delays.next() % 3 != 0 {
                let call = store.calls[Int(delays.next() % UInt64(store.calls.count))]
                switch delays.next() % 4 {
                case 0: store.work(call)
                case 1: store.answer(call)
                default:
                    store.answer(call)
                    desk.takeAnswers()
                }
            }
            if delays.next() % 2 == 0 { desk.takeAnswers() }
        }

        private func come(_ device: Device) {
            if device.id != nil { return }
            device.batchCount = 0
            (device.base, device.sent) = (device.acknowledged, device.acknowledged)
            device.id = desk.relayHello(
                device.replica, space: device.space, read: device.checkpoint)
        }

        private func leave(_ device: Device) {
            if let id = device.id, desk.ends[id] == nil { desk.run(id, .lost) }
            device.id = nil
        }

        private func write(_ device: Device, record: UInt64) {
            let counter = UInt64(device.written.count + 1)
            device.written.append(
                RelaySamples.change(UInt128(record + 1), device.replica, counter, 40))
        }

        private func upload(_ device: Device) {
            guard let id = device.id, device.sent < device.written.count,
                device.sent - device.acknowledged < 4
            else { return }
            let change = device.written[device.sent]
            device.sent += 1
            desk.say(id, RelayDesk.batch([change], through: UInt64(device.sent)))
        }

        private func hear(_ device: Device) throws {
            guard let id = device.id else { return }
            for message in desk.heard(by: id) {
                switch message {
                case .relayHelloReply(let reply): device.relay = reply.relay
                case .acknowledge(let count): device.acknowledged = device.base + Int(count)
                case .changes(let batch):
                    let others = batch.changes.filter {
                        !device.written.contains($0)
                    }
                    device.read += others
                    device.batchCount += 1
                    note(batch.through, device)
                    desk.say(id, .acknowledge(device.batchCount))
                case .downloadDone(let end): note(end.through, device)
                default: break
                }
            }
            #expect(desk.ends[id] == nil, "\(desk.ends)")
        }

        private func note(_ through: Checkpoint?, _ device: Device) {
            guard let through, let relay = device.relay else { return }
            device.checkpoint = RelayHello.Bookmark(relay: relay, checkpoint: through)
        }

        /// Everybody comes, uploads what is left and reads to the end.
        private mutating func settle() throws {
            for _ in 0..<500 {
                for device in devices {
                    come(device)
                    upload(device)
                }
                desk.commit()
                try answerSome()
                for device in devices { try hear(device) }
                let isOver = devices.allSatisfy { $0.acknowledged == $0.written.count }
                if isOver, store.calls.isEmpty, !desk.node.hasWaiting, !desk.node.hasAnswers {
                    return
                }
            }
            Issue.record("it has no end")
        }

        /// The versions that are in a space's store.
        func versions(_ space: SpaceID) throws -> Set<Change> {
            var found: Set<Change> = []
            for record in 1...12 {
                let name = RecordName(.relayed, RecordID(value: UInt128(record)))
                found.formUnion(try store.versions(of: name, in: space))
            }
            return found
        }
    }

    @Test("it ends as one that answers at once: all that was acknowledged is there and reaches all")
    func anyOrder() throws {
        for seed: UInt64 in 1...60 {
            var late = Play(seed: seed, isPrompt: false)
            var prompt = Play(seed: seed, isPrompt: true)
            try late.run(stepCount: 120)
            try prompt.run(stepCount: 120)
            for space in Self.spaces {
                let kept = try late.versions(space)
                #expect(try prompt.versions(space) == kept, "seed \(seed)")
                for device in late.devices where device.space == space {
                    for change in device.written {
                        let isThere = kept.contains {
                            $0.name == change.name && $0.clock.covers(change.clock)
                        }
                        #expect(isThere, "seed \(seed): acknowledged, and gone")
                    }
                    let own = Set(device.written)
                    #expect(kept.subtracting(own).subtracting(device.read) == [], "seed \(seed)")
                    #expect(Set(device.read).count == device.read.count, "seed \(seed): twice")
                }
            }
            for device in late.devices { Self.checkOrder(device, late, seed) }
        }
    }

    /// Versions of one writer come in the order in which it wrote them.
    private static func checkOrder(_ device: Device, _ play: Play, _ seed: UInt64) {
        for writer in play.devices where writer.space == device.space && writer !== device {
            let positions = device.read.compactMap { writer.written.firstIndex(of: $0) }
            #expect(positions == positions.sorted(), "seed \(seed)")
        }
    }
}
