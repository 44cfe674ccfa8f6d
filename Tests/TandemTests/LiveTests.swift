import PhotoLibrary
import Tandem
import Testing

@Suite("Live results of an app", .timeLimit(.minutes(30)))
struct LiveTests {
    private let folder = TestFolder()

    @Test("results made before the store opens are told when it does")
    func beforeOpening() async throws {
        let library = PhotoLibrary(folder: "\(folder.path)/a")
        let live = try library.store.live(PhotoLibrary.byPhotographer)
        #expect(!live.isReady && live.rows.isEmpty)
        #expect(try live.refresh() == [])
        let other = PhotoLibrary(folder: "\(folder.path)/a")
        try other.store.open(deviceName: "a")
        try other.takeIn([PhotoInfo(key: "1", title: "Dunes", photographer: "Ansel")])
        var iterator = live.batches.makeAsyncIterator()
        try library.store.open()
        #expect(live.isReady)
        var shown = ShownList()
        try shown.apply(try #require(try await iterator.next(isolation: nil)))
        #expect(shown == ShownList(live))
        #expect(live.sections.map(\.value) == ["Ansel"])
        library.store.close()
        #expect(try await iterator.next(isolation: nil) == nil)
    }

    @Test("what another store on the folder commits comes as a batch")
    func otherStores() async throws {
        let library = PhotoLibrary(folder: "\(folder.path)/a")
        try library.store.open(deviceName: "a")
        let live = try library.store.live(PhotoLibrary.byPhotographer)
        var shown = ShownList(live)
        let path = "\(folder.path)/a"
        let writer = Task.detached {
            let other = PhotoLibrary(folder: path)
            try other.store.open()
            for number in 0..<20 {
                try other.takeIn([
                    PhotoInfo(key: "\(number)", title: "\(number)", photographer: "\(number % 3)")
                ])
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        for try await batch in live.batches {
            try shown.apply(batch)
            #expect(shown == ShownList(live))
            if live.count == 20 { break }
        }
        try await writer.value
        #expect(live.sections.map(\.rowCount) == [7, 7, 6])
    }

    @Test("what another program commits comes as a batch, on the main actor if the store is there")
    @MainActor
    func otherPrograms() async throws {
        let library = PhotoLibrary(folder: "\(folder.path)/a")
        try library.store.open(deviceName: "a")
        try library.takeIn([PhotoInfo(key: "1", title: "Dunes", photographer: "Ansel")])
        let live = try library.store.live(library.recents())
        var shown = ShownList(live)
        let command = [TestFolder.program("Photos"), "\(folder.path)/a", "view"]
        let photo = RecordName(key: "1", in: "photos")
        #expect(folder.run(command[0], command[1], command[2], "\(photo.id)") == 0)
        for try await batch in live.batches {
            MainActor.assertIsolated()
            try shown.apply(batch)
            if live.count == 1 { break }
        }
        #expect(shown == ShownList(live))
        #expect(shown.all.map(\.name) == [photo])
    }

    @Test(
        "the batches lead to what a fresh fetch gives, whoever edits, merges and deletes",
        arguments: 1...3 as ClosedRange<UInt64>)
    func property(seed: UInt64) async throws {
        var chance = Chance(state: seed)
        let here = try folder.store("here", PhotoLibrary.schema)
        let host = SyncService(for: here, listening: "127.0.0.1:0")
        try await host.start()
        let peer = try folder.join(
            here, at: try #require(await host.listening()), "peer", schema: PhotoLibrary.schema)
        let beside = try folder.store("here", PhotoLibrary.schema)
        let requests = Self.requests
        let lists = try requests.map { try here.live($0) }
        var shown = lists.map { ShownList($0) }
        for _ in 0..<60 {
            let store = [here, here, beside, peer][chance.below(4)]
            for _ in 0...chance.below(4) { try Self.edit(store, &chance) }
            if chance.below(4) == 0 { try peer.meet() }
            for (index, list) in lists.enumerated() {
                try shown[index].apply(list.refresh())
                #expect(shown[index] == ShownList(list))
                #expect(shown[index].all == (try here.fetch(requests[index])))
            }
        }
        await host.stop()
    }

    private static let views = Related("recents", by: "photo")
    private static let requests: [FetchRequest] = [
        PhotoLibrary.byPhotographer, PhotoLibrary.photographers,
        FetchRequest("photos", sort: [.ascending("title")], limit: 6),
        FetchRequest("photos", sort: [.descending("taken")], limit: 5, offset: 2),
        FetchRequest(
            "photos", where: .hasElement("tags", "a") || .contains("photographer.name", "1"),
            section: .descending("taken"), sort: [.ascending("photographer.name")]),
        FetchRequest(
            "photos", where: .any(views), section: .ascending(.count(views)),
            sort: [.descending(.greatest("lastViewed", views))], limit: 20),
        FetchRequest("recents", section: .ascending("photo.photographer.name")),
    ]

    /// One edit of any kind; keys are few, so that devices edit the same records.
    private static func edit(_ store: TandemStore, _ chance: inout Chance) throws {
        let key = "\(chance.below(12))"
        let photo = RecordName(key: key, in: "photos")
        let photographer = "\(chance.below(3))"
        let kind = chance.below(8)
        let number = chance.below(5)
        try store.write { edit in
            switch kind {
            case 0:
                if try edit.record(photo) != nil { try edit.delete(photo) }
            case 1:
                try edit.upsert(
                    [ImportItem(key: photographer, ["name": "\(number) \(photographer)"])],
                    into: "photographers", revives: true)
            case 2:
                let id = RecordName(key: photographer, in: "photographers")
                if try edit.record(id) != nil { try edit.delete(id) }
            case 3:
                try edit.upsert(
                    [
                        ImportItem(
                            key: key,
                            ["photo": .reference(photo), "lastViewed": .instant(Int64(number))])
                    ], into: "recents", revives: true)
            default:
                let values: [String: Value] = [
                    "title": "\(number)", "taken": .day(Int32(number)),
                    "photographer": .reference(RecordName(key: photographer, in: "photographers")),
                ]
                try edit.upsert(
                    [ImportItem(key: key, values, sets: ["tags": number == 0 ? ["a"] : []])],
                    into: "photos", revives: kind > 5)
            }
        }
    }
}
