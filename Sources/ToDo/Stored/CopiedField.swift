import Core
import Storage

/// A field of a to-do that a copy of the store has another value of.
package struct CopiedField: Hashable, Sendable {
    /// The field with the value that is shown here, and the one of the copy.
    package let difference: ItemDifference
    /// The field, where one field alone has that name.
    package let field: Field?
    /// The other values of an open conflict here, which the copy's value ends.
    package let others: [Value]

    /// All such fields of a to-do that the copy has and that is here, in the trash or not.
    ///
    /// - Parameter name: its name in the copy; here another one may stand for it.
    package static func all(
        of name: RecordName, from copy: Store, to todos: ToDoStore
    ) throws(StoreFault) -> [CopiedField] {
        guard name.collection == ToDoSchema.collection, let there = try copy.record(name),
            let here = try todos.store.record(todos.store.standIn(of: name))
        else { return [] }
        var item = ToDoMapping.item(there)
        item.identifier = here.id.value
        let conflicts = Dictionary(
            here.record.fieldConflicts.map { (ToDoSchema.name(of: $0.field), $0) },
            uniquingKeysWith: { first, _ in first })
        return ItemDifference.between(ToDoMapping.item(here), item).map { difference in
            let conflict = conflicts[difference.field]
            return CopiedField(
                difference: difference, field: conflict?.field,
                others: conflict?.candidates.dropFirst().map(\.value) ?? [])
        }
    }
}
