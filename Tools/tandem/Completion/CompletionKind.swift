import ToDo

/// The kind of a word of a command line or of an option's value.
enum CompletionKind {
    /// Nothing that can be guessed.
    case free
    /// One of these.
    case choices([String])
    /// A to-do, by its number in the last listing or the beginning of its id.
    case todo(ToDoGlance.Scope)
    /// Words of a filter.
    case filter
    /// Words of a new to-do.
    case newItem
    /// Words that change a to-do.
    case change
    /// The name of a device.
    case device
    /// A project.
    case project
    /// A command of this program.
    case command
    /// A file.
    case file
    /// A folder.
    case folder

    /// Days in words, of all that dates may be.
    static let days = [
        "today", "tomorrow", "yesterday", "monday", "tuesday", "wednesday", "thursday", "friday",
        "saturday", "sunday", "eow", "som", "eom",
    ]
    /// Rules by which to-dos come again.
    static let rules = [
        "daily", "weekdays", "weekly", "monthly", "yearly", "daily!", "weekly!", "monthly!",
    ]
}
