import DeviceTestSupport
import Devices
import Storage
import Testing
import Transport

@Suite("The daemon's timer", .serialized)
struct DaemonTimerTests {
    private let folder = TemporaryStores()

    @Test("everything is tried at the start and then on the timer, sooner than after a loss alone")
    func timer() throws {
        try folder.create("a").close()
        let store = try folder.open("a")
        defer { store.close() }
        // Nobody answers there: by itself the contact would wait 1, 2, 4, 8 and 16 seconds.
        let nobody = Contact.device(.tcp(HostAndPort(host: "127.0.0.1", port: 1)))
        let daemon = try Daemon(
            store: store, contacts: [nobody], security: nil, plain: .thisMachine,
            log: SyncServer.Log(
                listening: { _ in }, connected: { _ in }, fault: { _, _ in },
                refused: { _, _ in }, ended: { _, _, _, _ in }),
            netPeriod: .milliseconds(200))
        let start = MonotonicTime.now
        var dials: [Int] = []
        var isDialing = false
        daemon.changed = { [unowned daemon] in
            let wasDialing = isDialing
            if case .dialing = daemon.status.contacts[0].state {
                isDialing = true
            } else {
                isDialing = false
            }
            let milliseconds = Int((MonotonicTime.now.nanoseconds - start.nanoseconds) / 1_000_000)
            if isDialing, !wasDialing { dials.append(milliseconds) }
            if !isDialing, dials.count == 6 { daemon.stop() }
        }
        try daemon.run(handlesSignals: false)
        #expect(dials.count == 6)
        #expect((dials.first ?? .max) < 2_000, "\(dials)")
        #expect((dials.last ?? .max) < 15_000, "\(dials)")
        #expect(zip(dials, dials.dropFirst()).allSatisfy { $1 - $0 >= 190 }, "\(dials)")
    }

    @Test("the timer's period is 20 minutes, and chance adds up to a tenth")
    func jitter() {
        let period = Daemon.netPeriod
        #expect(period == .seconds(20 * 60))
        #expect(Daemon.netDelay(after: period, chance: 0) == period)
        #expect(Daemon.netDelay(after: period, chance: .max) > period + .seconds(119))
        #expect(Daemon.netDelay(after: period, chance: .max) <= period + .seconds(120))
    }
}
