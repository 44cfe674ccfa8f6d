import PhotoLibrary
import Tandem
import Testing

@Suite("A library of photos")
struct PhotoLibraryTests {
    private let folder = TestFolder()

    private func library(_ name: String = "a") throws -> PhotoLibrary {
        let library = PhotoLibrary(folder: "\(folder.path)/\(name)")
        try library.store.open(deviceName: name)
        return library
    }

    private static let photos = [
        PhotoInfo(key: "1", title: "Dunes", photographer: "Ansel", taken: 10, tags: ["sand"]),
        PhotoInfo(key: "2", title: "Moonrise", photographer: "Ansel", taken: 20),
        PhotoInfo(key: "3", title: "Migrant", photographer: "Dorothea", taken: 30),
    ]

    @Test("taking in twice makes nothing twice, and photographers are made on the way")
    func takeIn() throws {
        let library = try library()
        #expect(try library.takeIn(Self.photos) == 3)
        #expect(try library.takeIn(Self.photos) == 0)
        let found = try library.store.fetch(PhotoLibrary.photographers)
        #expect(found.map { $0["name"].text } == ["Ansel", "Dorothea"])
        #expect(try library.store.relatedCount(to: found[0], in: "photos", by: "photographer") == 2)
        let dunes = try #require(try library.store.record(key: "1", in: "photos"))
        #expect(dunes.texts("tags") == ["sand"])
        #expect(try library.store.target(of: dunes, "photographer")?.id == found[0].id)
        #expect(
            try library.store.related(to: found[0], in: "photos", by: "photographer").compactMap {
                $0["title"].text
            }
            .sorted() == ["Dunes", "Moonrise"])
    }

    @Test("photos come in sections by photographer, those without one last")
    func sections() throws {
        let library = try library()
        try library.takeIn(Self.photos)
        let live = try library.store.live(PhotoLibrary.byPhotographer)
        #expect(live.sections.map(\.value) == ["Ansel", "Dorothea"])
        #expect(live.sections.map(\.rowCount) == [2, 1])
        try library.store.write { edit in
            try edit.delete(RecordName(key: "Ansel", in: "photographers"))
        }
        _ = try live.refresh()
        #expect(live.sections.map(\.value) == ["Dorothea", nil])
        #expect(live[RowPosition(section: 1, row: 1)]["title"].text == "Moonrise")
        #expect(
            try library.store.fetch(
                FetchRequest("photos", where: .absent("photographer.name"))
            ).count == 2)
    }

    @Test("a device remembers the last 20 photos, the latest first, and nothing piles up")
    func recents() throws {
        let library = try library()
        let photos = (1...30).map {
            PhotoInfo(key: "\($0)", title: "Photo \($0)", photographer: "Ansel")
        }
        try library.takeIn(photos)
        func id(_ number: Int) -> RecordName { RecordName(key: "\(number)", in: "photos") }
        func shown() throws -> [String] {
            try library.store.fetch(library.recents()).compactMap { $0["title"].text }
        }
        for number in 1...30 { try library.view(id(number), at: Int64(number) * 1000) }
        #expect(try shown() == (11...30).reversed().map { "Photo \($0)" })
        try library.view(id(12), at: 40_000)
        #expect(try shown().first == "Photo 12")
        #expect(try shown().count == 20)
        // A deleted photo disappears, and another one takes its position.
        try library.store.write { edit in _ = try edit.delete(id(12)) }
        #expect(try shown().first == "Photo 30")
        #expect(try shown().count == 19)
        try library.view(id(1), at: 50_000)
        #expect(try shown().first == "Photo 1")
        #expect(try shown().count == 20)
        #expect(try library.store.count(FetchRequest("recents")) == 20)
        var trash = FetchRequest("recents")
        trash.scope = .trash
        #expect(try library.store.count(trash) == 0)
    }
}
