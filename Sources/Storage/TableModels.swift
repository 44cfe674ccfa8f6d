/// What a program's tables are described as in a file that nothing has damaged, for whoever examines many files.
///
/// It depends on the program's schema alone, never on a file, and takes longer to work out than to compare.
package final class TableModels {
    /// What a file says of one table, index or view.
    struct Description: Hashable {
        let kind: String
        let name: String
        let table: String
        let text: String
    }

    /// What was worked out, with the schema that it is for.
    private var models: [(collections: [CollectionSchema], descriptions: [Description])] = []
    /// The most schemas that are kept: a world has two, that of the present version and that of a newer one.
    private static let modelCountMax = 4

    /// Nothing is worked out yet.
    package init() {}

    /// The tables of a store with these collections.
    func descriptions(
        of collections: [CollectionSchema], on disk: any StoreDisk
    ) throws(StoreFault) -> [Description] {
        if let known = models.first(where: { $0.collections == collections }) {
            return known.descriptions
        }
        let descriptions = try Migrations.descriptions(ofNew: collections, on: disk)
        if models.count >= Self.modelCountMax { models = [] }
        models.append((collections, descriptions))
        return descriptions
    }
}
