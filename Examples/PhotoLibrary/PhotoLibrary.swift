import Tandem

/// Photos, their photographers, and the last one viewed, on all of a user's devices.
package final class PhotoLibrary {
    /// The collections of the app.
    package static let schema = Schema(
        .collection("photographers", Attribute("name", .text, isIndexed: true)),
        .collection(
            "photos", Attribute("title", .text), Attribute("subtitle", .text),
            Attribute("taken", .moment, isIndexed: true),
            Attribute("tags", .set), Attribute("thumbnail", .bytes),
            // A photo without its photographer is still a photo.
            .reference("photographer", to: "photographers")),
        .collection(
            "recents", Attribute("device", .text, isIndexed: true),
            Attribute("lastViewed", .moment),
            // Nobody has looked at a photo that is gone.
            .reference("photo", to: "photos", onDelete: .cascade)))

    /// How many photos a device remembers to have shown.
    package static let recentCountMax = 20

    /// Where everything is kept.
    package let store: TandemStore

    /// A library in a folder, not open yet; lists can be made already.
    package init(folder: String) {
        store = TandemStore(at: folder, schema: Self.schema)
    }

    // MARK: Lists

    /// All photos, in sections by photographer.
    package static let byPhotographer = FetchRequest(
        "photos", section: .ascending("photographer.name"),
        sort: [.ascending("title"), .ascending("taken")])

    /// Photographers, the one with the most photos first.
    package static let photographers = FetchRequest(
        "photographers", where: .any(theirPhotos),
        sort: [.descending(.count(theirPhotos)), .ascending("name")])

    private static let theirPhotos = Related("photos", by: "photographer")

    /// The photos that were looked at on this device, the latest first.
    package func recents() throws -> FetchRequest {
        let here = Related(
            "recents", by: "photo", where: .equals("device", .text(try store.deviceID())))
        return FetchRequest(
            "photos", where: .any(here), sort: [.descending(.greatest("lastViewed", here))],
            limit: Self.recentCountMax)
    }

    // MARK: Edits

    /// Takes photos of some service in: those that are here already are brought up to date, on whichever
    /// device they were taken in first; photographers are made on the way.
    ///
    /// - Returns: how many photos are new here.
    @discardableResult
    package func takeIn(_ photos: [PhotoInfo]) throws -> Int {
        try store.write { edit in
            let names = Set(photos.map(\.photographer)).sorted()
            try edit.upsert(
                names.map { ImportItem(key: $0, ["name": .text($0)]) }, into: "photographers")
            let outcomes = try edit.upsert(photos.map(\.item), into: "photos")
            return outcomes.count { if case .inserted = $0 { true } else { false } }
        }
    }

    /// Remembers that a photo was looked at on this device; of more than 20 the oldest is forgotten.
    ///
    /// A device has 20 places for what it remembers, and uses them again: nothing piles up.
    /// - Parameter time: milliseconds since 1970-01-01 UTC.
    package func view(_ photo: RecordName, at time: Int64) throws {
        let device = try store.deviceID()
        try store.write { edit in
            let shown: [String: Value] = [
                "device": .text(device), "photo": .reference(photo), "lastViewed": .instant(time),
            ]
            let known = try edit.fetch(
                FetchRequest(
                    "recents", where: .equals("device", .text(device)),
                    sort: [.ascending("lastViewed")]))
            if let same = known.first(where: { $0["photo"].reference == photo }) {
                try edit.update(same.name, shown)
            } else if known.count >= Self.recentCountMax {
                try edit.update(known[0].name, shown)
            } else {
                let used = Set(known.map(\.name))
                let keys = (0..<Self.recentCountMax).map { "\(device)/\($0)" }
                let free = keys.first { !used.contains(RecordName(key: $0, in: "recents")) }
                // A place whose photo was deleted is in the trash.
                let items = [free].compactMap(\.self).map { ImportItem(key: $0, shown) }
                try edit.upsert(items, into: "recents", revives: true)
            }
        }
    }
}
