/// A format in which files of to-dos come and go.
///
/// A new one is a folder with a type that conforms, and a line in `ToDoFormats`: the command line, its
/// help and its completion ask these.
package protocol ToDoFormat: Sendable {
    /// The format's names, and what is known of it without a file.
    static var profile: FormatProfile { get }

    /// A format as a command line asks for it.
    ///
    /// - Throws: an option that cannot be read.
    init(_ settings: FormatSettings) throws(FormatOptionFault)

    /// Reads a file: the to-dos, the bad entries, and what is not kept of the good ones.
    ///
    /// - Throws: `cannotDecode` for the file; bad entries are among the faults.
    func decode(_ bytes: [UInt8]) throws(FormatFault) -> FormatReading

    /// Reads a file for an import: `decode`, and an id for each entry of a format that has none.
    func read(_ bytes: [UInt8]) throws(FormatFault) -> FormatReading

    /// Reads a file piece by piece, as `read` does; nil in a format that is read as a whole.
    func stream() -> (any EntryStream)?

    /// Writes items as a file of this format.
    ///
    /// - Throws: `cannotEncode` for an item that cannot be said, or a format that is only read.
    func encode(_ items: [ToDoItem]) throws(FormatFault) -> FormatWriting

    /// Knows again what went out in this format.
    var echo: FormatEcho { get }
}

extension ToDoFormat {
    /// Reads a file of a format whose entries have ids.
    package func read(_ bytes: [UInt8]) throws(FormatFault) -> FormatReading { try decode(bytes) }
    /// Reads no file piece by piece.
    package func stream() -> (any EntryStream)? { nil }
    /// Knows what went out in a format that loses nothing.
    package var echo: FormatEcho { .exact }
}

/// The names of a format, and what is known of it without a file.
package struct FormatProfile: Sendable {
    /// The name on the command line.
    package let name: String
    /// Other names that people call it by, in lower case.
    package let otherNames: [String]
    /// The kind of file, as a summary lists it; formats of one kind may share it.
    package let family: String
    /// An explanation of the name, in a word or two; "" if it needs none.
    package let note: String
    /// The details that a file of this format does not keep; "" if it keeps every field.
    package let losses: String
    /// How the names of its files end, in lower case.
    package let nameEndings: [String]
    /// Tells its files from those of another format that end alike; nil for the usual one.
    package let recognizes: (@Sendable ([UInt8]) -> Bool)?
    /// The format to write instead; nil if this one is written.
    package let writtenAs: String?
    /// The options that reading takes.
    package let readOptions: [FormatOption]
    /// The options that writing takes.
    package let writeOptions: [FormatOption]

    /// A profile; without the rest, of a format that is read and written.
    package init(
        _ name: String, otherNames: [String] = [], family: String, note: String = "",
        losses: String, nameEndings: [String],
        recognizes: (@Sendable ([UInt8]) -> Bool)? = nil, writtenAs: String? = nil,
        readOptions: [FormatOption] = [], writeOptions: [FormatOption] = []
    ) {
        self.name = name
        self.otherNames = otherNames
        self.family = family
        self.note = note
        self.losses = losses
        self.nameEndings = nameEndings
        self.recognizes = recognizes
        self.writtenAs = writtenAs
        self.readOptions = readOptions
        self.writeOptions = writeOptions
    }
}

/// An option of one format on the command line.
package struct FormatOption: Sendable, Hashable {
    /// The name, without the hyphens in front.
    package let name: String
    /// The word that stands for its value in the help; nil for a flag.
    package let value: String?
    /// The files that it is for.
    package let subject: String
    /// The meaning, for the help.
    package let help: String

    /// An option.
    package init(_ name: String, value: String? = nil, for subject: String, _ help: String) {
        self.name = name
        self.value = value
        self.subject = subject
        self.help = help
    }
}

/// Says why the value of an option was refused.
package struct FormatOptionFault: Error, Sendable, CustomStringConvertible {
    /// The option.
    package let option: String
    /// The refused text and what to write instead, for the user.
    package let description: String

    /// A refused value.
    package init(_ option: String, _ description: String) {
        self.option = option
        self.description = description
    }
}

/// Settings that a format may need besides the to-dos.
package struct FormatSettings: Sendable {
    /// The zone whose midnights are days, where a format has no days.
    package var zone: LocalTimeZone
    /// Now, from which "friday" is counted; milliseconds since 1970.
    package var now: Int64
    /// The name of the file, without its folder; "" for the standard input.
    package var fileName = ""
    /// The order of day and month where a date may be read in two ways; nil if the user has not said it.
    package var dateOrder: DateOrder?
    /// The options of the format that were given, by name; flags have the value "".
    package var options: [String: String] = [:]

    /// Settings without options.
    package init(zone: LocalTimeZone, now: Int64) {
        self.zone = zone
        self.now = now
    }
}
