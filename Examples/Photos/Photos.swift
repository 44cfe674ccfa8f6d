import Glibc
import PhotoLibrary
import Tandem

/// A program with a library of photos: an app's use of Tandem, without windows.
///
///     photos FOLDER take-in < LIST     takes photos in: key, title and photographer, parted by tabs
///     photos FOLDER list               all photos, by photographer
///     photos FOLDER photographers      who took how many
///     photos FOLDER view ID            looks at a photo
///     photos FOLDER recents            what was looked at on this device
///     photos FOLDER sync ADDRESS       exchanges with another device, and ends
///     photos FOLDER watch [ADDRESS]    shows the list, and each change of it, wherever it comes from
@main
struct Photos {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count >= 2 else {
            print(
                "photos FOLDER take-in | list | photographers | view ID | recents | sync ADDRESS"
                    + " | watch [ADDRESS]")
            exit(64)
        }
        do {
            let library = PhotoLibrary(folder: words[0])
            if words[1] == "watch" {
                try await watch(library, words.dropFirst(2).first)
            } else {
                try library.store.open(deviceName: "photos")
                try run(words[1], words.dropFirst(2).first, library)
            }
        } catch let error as TandemError {
            print("photos: \(error.what). Next: \(error.next).")
            exit(1)
        } catch {
            print("photos: \(error)")
            exit(1)
        }
    }

    private static func run(
        _ command: String, _ word: String?, _ library: PhotoLibrary
    ) throws {
        let store = library.store
        switch (command, word) {
        case ("take-in", _):
            let count = try library.takeIn(readPhotos())
            print("\(count) new")
        case ("list", _):
            show(try store.live(PhotoLibrary.byPhotographer))
        case ("photographers", _):
            for record in try store.fetch(PhotoLibrary.photographers) {
                let count = try store.relatedCount(
                    to: record, in: "photos", by: "photographer")
                print("\(count)  \(record["name"].text ?? "")")
            }
        case ("view", let id?):
            guard let id = RecordID(id) else { return print("photos: '\(id)' is no id") }
            try library.view(RecordName(.text("photos"), id), at: Int64(time(nil)) * 1000)
        case ("recents", _):
            for record in try store.fetch(library.recents()) { print(line(record)) }
        case ("sync", let address?):
            let outcome = try store.sync(with: address)
            print("\(outcome.receivedCount) received, \(outcome.sentCount) sent")
        default:
            print("photos: '\(command)' is no command, or it lacks a word")
        }
    }

    /// Stays, in touch with another device if one is named.
    private static func watch(_ library: PhotoLibrary, _ address: String?) async throws {
        // Made before the store is open: the first batch brings what is in it.
        let photos = try library.store.live(PhotoLibrary.byPhotographer)
        try library.store.open(deviceName: "photos")
        let service = SyncService(
            for: library.store, peers: [address].compactMap(\.self), listening: nil)
        if address != nil { try await service.start() }
        for try await batch in photos.batches {
            for change in batch { print(words(change)) }
            fflush(nil)
        }
    }

    private static func readPhotos() -> [PhotoInfo] {
        var photos: [PhotoInfo] = []
        while let line = readLine() {
            let parts = line.split(separator: "\t", maxSplits: 2).map { String($0) }
            guard parts.count == 3 else { continue }
            photos.append(PhotoInfo(key: parts[0], title: parts[1], photographer: parts[2]))
        }
        return photos
    }

    private static func show(_ photos: LiveResults) {
        for (number, section) in photos.sections.enumerated() {
            if case .text(let name) = section.value { print(name) } else { print("(nobody)") }
            for row in 0..<section.rowCount {
                print("  \(line(photos[RowPosition(section: number, row: row)]))")
            }
        }
    }

    private static func line(_ record: Record) -> String {
        "\(record.id)  \(record["title"].text ?? "")"
    }

    private static func words(_ change: LiveChange) -> String {
        switch change {
        case .deleteRow(let position): "- \(position.section).\(position.row)"
        case .insertRow(let record, let position):
            "+ \(position.section).\(position.row) \(line(record))"
        case .moveRow(let from, let to):
            "\(from.section).\(from.row) > \(to.section).\(to.row)"
        case .updateRow(let record, let position):
            "= \(position.section).\(position.row) \(line(record))"
        case .insertSection(.text(let name), let position): "+ section \(position) \(name)"
        case .insertSection(_, let position): "+ section \(position)"
        case .deleteSection(let position): "- section \(position)"
        }
    }
}
