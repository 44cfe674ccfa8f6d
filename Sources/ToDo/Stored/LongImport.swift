/// Why a file that is read piece by piece is not imported; nothing of it was.
package enum LongImportFault: Error {
    /// It has bad entries, which are listed here, and so many good ones.
    case badEntries(FormatReading, goodCount: Int)
    /// Its second reading gave other bytes than the first.
    case changed
}

/// An import of a file of which no more is held than a piece: it is read once to check it, and once more to import it.
package struct LongImport {
    /// Gives a file from its beginning, piece by piece, to its argument.
    package typealias Pieces = (_ body: (ArraySlice<UInt8>) throws -> Void) throws -> Void

    private let format: any ToDoFormat
    private let takesPart: Bool
    private let pieces: Pieces
    private let survey: FileSurvey
    /// Tells the bytes of the first reading from others.
    private let content: Int

    /// Checks a file, by reading it for the first time.
    ///
    /// - Parameters:
    ///   - format: one that is read piece by piece.
    ///   - takesPart: whether the good entries are imported if there are bad ones.
    ///   - pieces: reads the file anew with each call.
    package init(
        _ format: any ToDoFormat, takesPart: Bool, _ pieces: @escaping Pieces
    ) throws {
        self.format = format
        self.takesPart = takesPart
        self.pieces = pieces
        var survey = FileSurvey()
        content = try Self.forEachPage(format, pieces) { survey.add($0) }
        self.survey = survey
    }

    /// The faults, losses and values beside shown ones that the first reading found; without to-dos.
    package var reading: FormatReading { survey.reading }

    /// Whether nothing is imported, because of bad entries.
    package var isRefused: Bool { survey.faultCount > 0 && !takesPart }

    /// Knows again what went out in the file's format.
    fileprivate var echo: FormatEcho { format.echo }

    fileprivate func refuseBadEntries() throws(LongImportFault) {
        if isRefused { throw .badEntries(survey.reading, goodCount: survey.itemCount) }
    }

    /// Reads the file for the second time.
    fileprivate func forEachPage(_ body: (FormatReading) throws -> Void) throws {
        let again = try Self.forEachPage(format, pieces) { page in
            // Somebody wrote to it meanwhile.
            if !page.faults.isEmpty, !takesPart, !isRefused {
                throw LongImportFault.badEntries(
                    page, goodCount: page.items.count + page.trash.count)
            }
            try body(page)
        }
        guard again == content else { throw LongImportFault.changed }
    }

    private static func forEachPage(
        _ format: any ToDoFormat, _ pieces: @escaping Pieces,
        _ body: (FormatReading) throws -> Void
    ) throws -> Int {
        guard var stream = format.stream() else { return 0 }
        var hasher = Hasher()
        try pieces { piece in
            piece.withUnsafeBytes { hasher.combine(bytes: $0) }
            try stream.add(piece)
            try body(stream.take())
        }
        try stream.finish()
        try body(stream.take())
        return hasher.finalize()
    }
}

extension ToDoStore {
    /// Imports a file that was checked, all of it or nothing.
    ///
    /// - Throws: a ``LongImportFault``, and whatever reading throws.
    package func carryOut(_ file: LongImport, revives: Bool = false) throws -> ImportSummary {
        try file.refuseBadEntries()
        return try importPages(
            besides: file.reading.besides, revives: revives, echo: file.echo, file.forEachPage)
    }

    /// The effect that `carryOut` would have; nothing is changed.
    ///
    /// Of a file that would be refused it is the effect of its good entries.
    /// - Throws: a ``LongImportFault``, and whatever reading throws.
    package func rehearse(_ file: LongImport, revives: Bool = false) throws -> ImportPlan {
        try rehearsePages(
            besides: file.reading.besides, revives: revives, echo: file.echo, file.forEachPage)
    }
}
