import Core
import Glibc
import Storage
import Terminal
import Testing
import ToDo

extension CommandTests {
    @Suite("What tandem status and tandem devices tell of replica ids")
    struct ReplicaIDs {
        private static let now: Int64 = 1_795_239_247_000
        private static let name = Field.number(2)

        /// A change whose clock names so many made-up replicas.
        private static func change(_ id: UInt128, first: Int, count: Int) -> Change {
            let entries = (first..<first + count).map {
                VersionVector.Entry(replica: ReplicaID(value: UInt128($0)), counter: 1)
            }
            let clock = VersionVector(unsorted: entries)
            let write = Write(
                dot: Dot(replica: entries[0].replica, counter: 1), timestamp: .zero,
                assignments: [Assignment(.number(ToDoSchema.Number.title), .text("x"))])
            let name = RecordName(ToDoSchema.collection, RecordID(value: id))
            let body = BodyCodec.encode(
                RecordState(clock: clock, writes: [write]), in: ToDoSchema.collection)
            return Change(name, clock: clock, body: body)
        }

        @Test(
            "ids without a device record are listed with the device or relay that brought them first, and change nothing"
        )
        func undocumented() throws {
            let (phone, relay) = (ReplicaID(value: 0xa << 120), ReplicaID(value: 0xb << 120))
            let folder = try CommandFolder(now: Self.now) { store, _ in
                try store.write {
                    try $0.insert(
                        [Assignment(Self.name, .text("phone"))], into: .devices,
                        id: RecordID(value: phone.value))
                }
                try store.remember(relay, at: "relay://example.org:7718")
                _ = try store.integrate(
                    [Self.change(1, first: 1_000, count: 3)], from: phone, checkpoint: nil)
                _ = try store.integrate(
                    [Self.change(2, first: 2_000, count: 2)], from: relay, checkpoint: nil)
                // Whoever brought them before is named.
                _ = try store.integrate(
                    [Self.change(3, first: 1_002, count: 2)], from: relay, checkpoint: nil)
            }
            let told = try folder.told(["status"])
            #expect(told.code == .ok)
            let words = told.results.split { $0.isWhitespace }.joined(separator: " ")
            #expect(
                words.contains(
                    "6 replica ids without a device record: 3 first came from phone, "
                        + "3 by way of relay example.org:7718")
                    || words.contains(
                        "6 replica ids without a device record: 3 by way of relay "
                            + "example.org:7718, 3 first came from phone"),
                "\(words)")
            let json = try folder.told(["status", "--json"]).results
            #expect(json.contains(#"{"count":3,"kind":"device","from":"phone"}"#), "\(json)")
            #expect(
                json.contains(#"{"count":3,"kind":"relay","from":"example.org:7718"}"#), "\(json)")
            // Nothing is decided by them.
            #expect(!json.contains("replica-ids"))
            #expect(try folder.told(["list"]).results.contains("x"))
        }

        @Test(
            "a device by whose word too many new ids were taken is named as refused, until it is admitted"
        )
        func spender() throws {
            let key = [UInt8](repeating: 7, count: 32)
            let folder = try CommandFolder(now: Self.now) { store, setTime in
                // The program looks at its own clock.
                setTime(Int64(time(nil)) * 1000)
                try store.write {
                    try $0.insert(
                        [
                            Assignment(Self.name, .text("phone")),
                            Assignment(.number(3), .bytes(key)),
                        ], into: .devices, id: RecordID(value: 0xa << 120))
                }
                for _ in 1...Store.peerChangeCountMax {
                    let history = History(
                        replica: store.replica, counter: 1_000_000, incarnations: [])
                    #expect(try store.resolve(history, toldBy: key))
                }
            }
            let told = try folder.told(["status"])
            let words = told.results.split { $0.isWhitespace }.joined(separator: " ")
            #expect(words.contains("phone is refused here until"), "\(words)")
            #expect(
                words.contains(
                    "took a new replica id \(Store.peerChangeCountMax) times within a day"))
            #expect(words.contains(" devices --admit phone"))
            let json = try folder.told(["status", "--json"]).results
            #expect(json.contains(#""refusesForIDs":["phone"]"#), "\(json)")
            #expect(json.contains(#""green":false"#) && json.contains("refused-spender"))
            #expect(
                try folder.told(["devices", "--admit", "tablet"]).code == ExitCode(rawValue: 1))
            let admitted = try folder.told(["devices", "--admit", "phone"])
            #expect(admitted.code == .ok)
            #expect(admitted.results.contains("phone is admitted again"))
            let after = try folder.told(["status", "--json"]).results
            #expect(after.contains(#""refusesForIDs":[]"#), "\(after)")
            #expect(try folder.told(["devices", "--admit", "phone"]).code == ExitCode(rawValue: 1))
        }
    }
}
