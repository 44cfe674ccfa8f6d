import Tandem

/// A photo as a service describes it.
package struct PhotoInfo: Hashable, Sendable {
    /// Its id there, by which it is found again.
    package var key: String
    /// Its title.
    package var title: String
    /// The photographer's name.
    package var photographer: String
    /// When; days since 1970-01-01.
    package var taken: Int32
    /// The subjects of the photo.
    package var tags: [String]

    /// A photo.
    package init(
        key: String, title: String, photographer: String, taken: Int32 = 0, tags: [String] = []
    ) {
        self.key = key
        self.title = title
        self.photographer = photographer
        self.taken = taken
        self.tags = tags
    }

    var item: ImportItem {
        ImportItem(
            key: key,
            [
                "title": .text(title), "taken": .day(taken),
                "photographer": .reference(RecordName(key: photographer, in: "photographers")),
            ], sets: ["tags": tags])
    }
}
