import Core
import Storage

/// How to-dos are kept: numbers of fields never change their meaning.
package enum ToDoSchema {
    /// The collection of to-dos.
    package static let collection = CollectionID.number(1)

    /// The collection of views of people's own; a record's id is derived from the name of the view.
    package static let views = CollectionID.number(2)

    /// The field numbers of views: none that a to-do has, so that a number alone has a name.
    package enum ViewNumber {
        /// Text: the name.
        package static let name: UInt32 = 40
        /// Text: the words of the filter, one a line.
        package static let words: UInt32 = 41
        /// Text: the columns, parted by commas.
        package static let columns: UInt32 = 42
        /// Text: what it is sorted by, parted by commas; `-` before one means the greatest first.
        package static let sort: UInt32 = 43
        /// Text: how it is parted.
        package static let grouping: UInt32 = 44
    }

    /// The field numbers.
    package enum Number {
        /// Text.
        package static let title: UInt32 = 2
        /// Text.
        package static let notes: UInt32 = 3
        /// Text; levels are parted by dots.
        package static let project: UInt32 = 4
        /// A moment.
        package static let due: UInt32 = 5
        /// A moment.
        package static let scheduled: UInt32 = 6
        /// A moment.
        package static let wait: UInt32 = 7
        /// A moment.
        package static let until: UInt32 = 8
        /// A moment.
        package static let start: UInt32 = 9
        /// A moment.
        package static let finish: UInt32 = 10
        /// Text: `completed` or `cancelled`; absent, or another text, while the to-do is pending.
        package static let status: UInt32 = 11
        /// An instant; before `completions` there was this.
        package static let completed: UInt32 = 12
        /// An instant.
        package static let created: UInt32 = 13
        /// 1 low, 2 medium, 3 high; absent for none.
        package static let priority: UInt32 = 14
        /// A set of texts.
        package static let tags: UInt32 = 15
        /// A set of texts.
        package static let people: UInt32 = 16
        /// Text.
        package static let location: UInt32 = 17
        /// The to-do that this one is a part of.
        package static let parent: UInt32 = 18
        /// A set of texts, of which the greatest counts: places in the user's order.
        package static let position: UInt32 = 19
        /// A set of texts: stretches of work.
        package static let work: UInt32 = 20
        /// Text: how the to-do comes again.
        package static let repeats: UInt32 = 21
        /// The first to-do of those that come again.
        package static let series: UInt32 = 22
        /// A number: which of them it is; absent for the first.
        package static let occurrence: UInt32 = 23
        /// A moment: where their schedule began.
        package static let anchor: UInt32 = 24
        /// A set of texts, of which the smallest counts: when the status became one of those.
        package static let completions: UInt32 = 25
        /// A set of references to to-dos: what this one waits for.
        package static let depends: UInt32 = 26
        /// A set of texts: when to bring the to-do to mind.
        package static let reminders: UInt32 = 27
        /// A set of texts: days on which the series does not come.
        package static let exceptions: UInt32 = 28
    }

    /// The collections that a store of to-dos has.
    package static let collections = [
        CollectionSchema(
            collection, "todo",
            fields: [
                FieldSchema(Number.title, "title", .text),
                FieldSchema(Number.notes, "notes", .text),
                FieldSchema(Number.project, "project", .text),
                FieldSchema(Number.due, "due", .moment),
                FieldSchema(Number.scheduled, "scheduled", .moment),
                FieldSchema(Number.wait, "wait", .moment),
                FieldSchema(Number.until, "until", .moment),
                FieldSchema(Number.start, "start", .moment),
                FieldSchema(Number.finish, "finish", .moment),
                // A status of any other text is shown as pending, so lists must find it there.
                FieldSchema(
                    Number.status, "status",
                    .choice([ToDoStatus.completed, .cancelled].map(\.rawValue))),
                FieldSchema(Number.completed, "completed", .moment),
                FieldSchema(Number.created, "created", .moment),
                FieldSchema(Number.priority, "priority", .int),
                FieldSchema(Number.tags, "tags", .set),
                FieldSchema(Number.people, "people", .set),
                FieldSchema(Number.location, "location", .text),
                FieldSchema(Number.parent, "parent", .reference(collection)),
                FieldSchema(Number.position, "position", .set),
                FieldSchema(Number.work, "work", .set),
                FieldSchema(Number.repeats, "repeat", .text),
                FieldSchema(Number.series, "series", .reference(collection)),
                FieldSchema(Number.occurrence, "occurrence", .int),
                FieldSchema(Number.anchor, "anchor", .moment),
                FieldSchema(Number.completions, "completions", .set),
                FieldSchema(Number.depends, "depends", .set),
                FieldSchema(Number.reminders, "remind", .set),
                FieldSchema(Number.exceptions, "except", .set),
                // In the order of lists to its end, so that none of them is sorted.
            ], indexes: [["state", "status", "due", "id"]],
            // Few to-dos have any of these, and nobody looks through all others for them.
            sparseIndexes: [
                ["state", "parent"], ["state", "work"], ["state", "position"],
                ["state", "scheduled"], ["state", "start"], ["state", "series"],
                // The finished ones, the latest last.
                ["state", "completions"],
                // The pending ones that wait for anything, without a look at any record.
                ["state", "status", "id", "depends"],
                // The pending ones that will come again.
                ["state", "status", "repeat"],
                // The pending ones with reminders.
                ["state", "status", "remind"],
                // The projects of the pending ones, which are offered to who types, and where nothing was found.
                ["state", "status", "project"],
            ],
            // The order of one's own is that of time for what nobody has moved, and has no place for what is done.
            gapIndexes: [["state", "created", "id", "status"]],
            // Each list tells at its foot how many are pending.
            counted: "status",
            // Words of a list are looked for in these.
            searched: ["title", "notes"]),
        CollectionSchema(
            views, "views",
            fields: [
                FieldSchema(ViewNumber.name, "name", .text),
                FieldSchema(ViewNumber.words, "words", .text),
                FieldSchema(ViewNumber.columns, "columns", .text),
                FieldSchema(ViewNumber.sort, "sort", .text),
                FieldSchema(ViewNumber.grouping, "grouping", .text),
            ]),
    ]

    /// The names that people use for fields, in the order in which they are shown.
    package static let names: [(number: UInt32, name: String)] =
        collections[0].fields.compactMap { field in
            if case .number(let number) = field.name { (number, field.column) } else { nil }
        }

    /// The field of that name; any other name is a custom field's.
    package static func field(named name: String) -> Field {
        names.first { $0.name == name }.map { .number($0.number) } ?? .custom(name)
    }

    /// The name that people use for a field.
    package static func name(of field: Field) -> String {
        switch field {
        case .number(let number):
            names.first { $0.number == number }?.name
                ?? collections[1].field(number)?.column ?? "#\(number)"
        case .text(let name): name
        case .element(let name, let element): "\(Self.name(of: Field(name)))/\(element)"
        }
    }
}
