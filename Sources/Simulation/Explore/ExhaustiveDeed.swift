/// What a person does to the one record of a small world.
package enum ExhaustiveDeed: Int, Hashable, Sendable, CaseIterable {
    /// Gives the title one value.
    case editOne
    /// Gives the title another value.
    case editOther
    /// Edits another field.
    case editNotes
    /// Deletes the record.
    case delete
    /// Restores it.
    case restore
    /// Purges it, by force.
    case purge
    /// Ends a conflict about the title.
    case resolve

    /// The words of it on a device.
    ///
    /// - Parameter isNew: whether the device does not know the record yet.
    func action(on device: String, of item: String, isNew: Bool) -> Action {
        switch self {
        case .editOne: edit(device, item, isNew, .value(field: "title", .text("one")))
        case .editOther: edit(device, item, isNew, .value(field: "title", .text("other")))
        case .editNotes: edit(device, item, isNew, .value(field: "notes", .text("note")))
        case .delete: .delete(device: device, item: item)
        case .restore: .restore(device: device, item: item)
        case .purge: .purge(device: device, item: item, isForced: true)
        case .resolve: .resolve(device: device, item: item, field: "title", to: .text("one"))
        }
    }

    private func edit(_ device: String, _ item: String, _ isNew: Bool, _ what: Setting) -> Action {
        isNew
            ? .create(device: device, item: item, [what])
            : .edit(device: device, item: item, [what])
    }

    /// Whether it makes the record where there is none.
    var creates: Bool { self == .editOne || self == .editOther || self == .editNotes }
}
