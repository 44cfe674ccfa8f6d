import Core
import Relay
import Session
import Simulation
import Storage
import Testing

/// Goal: changes that a relay acknowledged survive a power cut at any write, and its store is
/// whole.
@Suite("A relay's disk that fails")
struct RelayPowerTests {
    private static let space = SpaceID(value: 7)

    private struct NoKeys: RelayAccess {
        func verify(
            verifier: [UInt8], space: SpaceID, generation: UInt32, proof: [UInt8],
            channelBinding: [UInt8]?
        ) -> Bool { false }

        func verifySuccession(
            verifier: [UInt8], space: SpaceID, generation: UInt32, successor: [UInt8],
            succession: [UInt8]
        ) -> Bool { false }
    }

    /// The data that a device received in one life of the relay.
    private struct Heard {
        var relay: ReplicaID?
        var uploaded: UInt64 = 0
        var acknowledged: UInt64 = 0
        var isRefused = false
    }

    /// One life of a relay: a device uploads so many records, one in each commit.
    private static func live(_ device: DiskDevice, records: UInt64) throws -> Heard {
        var options = RelayOptions(folder: "/relay")
        options.allowsPlainSpaces = true
        var heard = Heard()
        let node: RelayEngine
        do throws(StoreFault) {
            node = try RelayEngine(
                options: options, access: NoKeys(), environment: device.environment)
        } catch {
            return heard
        }
        let now = Instant(milliseconds: 1)
        var decoder = FrameDecoder()
        func take(_ outputs: [RelayEngine.Output]) throws {
            for case (_, .send(let bytes)) in outputs { decoder.append(bytes) }
            while let message = try decoder.next() {
                switch message {
                case .relayHelloReply(let relayHelloReply):
                    heard.relay = relayHelloReply.relay
                    heard.uploaded = relayHelloReply.uploaded?.sequence ?? 0
                case .acknowledge(let count): heard.acknowledged = count
                case .error: heard.isRefused = true
                default: continue
                }
            }
        }
        let (id, outputs) = node.open(RelayChannel(address: "10.0.0.1"), now: now)
        try take(outputs)
        func say(_ message: Message) throws {
            try take(node.receive(id, Frame.encode(message), now: now))
            try take(node.commit(now: now))
        }
        try say(
            .relayHello(
                RelayHello(space: space, replica: ReplicaID(value: 1), features: [], generation: 0))
        )
        guard heard.relay != nil else { return heard }
        for number in heard.uploaded..<heard.uploaded + records {
            if heard.isRefused { break }
            let clock = VersionVector(Dot(replica: ReplicaID(value: 1), counter: number + 1))
            let body = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 700)
            let through = Checkpoint(epoch: EpochID(value: 9), sequence: number + 1)
            try say(
                .changes(
                    ChangeBatch(
                        changes: [
                            Change(
                                RecordName(.relayed, RecordID(value: UInt128(number % 5))),
                                clock: clock, body: body)
                        ], through: through)))
        }
        return heard
    }

    @Test(
        "whatever was acknowledged is there after a cut at any write",
        arguments: [DiskKeeping.nothingUnsynced, .everything])
    func powerCut(keeping: DiskKeeping) throws {
        var cuts = 0
        for count in stride(from: 1, to: 400, by: 3) {
            let device = DiskDevice(number: UInt64(count))
            device.disk.losePowerAfterWrites(count)
            let first = try Self.live(device, records: 6)
            if device.disk.hasFuseBlown { cuts += 1 }
            device.disk.losePower(keeping: keeping)
            let second = try Self.live(device, records: 1)
            #expect(!second.isRefused)
            #expect(second.uploaded >= first.acknowledged, "write \(count)")
            if first.acknowledged > 0 { #expect(second.relay == first.relay) }
            device.disk.crash()
            let store = try #require(
                try SQLiteRelaySpace.open(
                    Self.space, in: "/relay", environment: device.environment))
            #expect(try store.examine() == [])
            #expect(store.recordCount == Int(min(5, second.uploaded + 1)))
            if !device.disk.hasFuseBlown, first.acknowledged == 6, cuts < count / 3 { break }
        }
        #expect(cuts > 20)
    }
}
