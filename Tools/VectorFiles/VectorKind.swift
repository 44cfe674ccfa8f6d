import JSON

/// The subject of a file of vectors.
package enum VectorKind: String, CaseIterable, Sendable, CustomStringConvertible {
    /// Joins and the order of version vectors.
    case versionVectors = "version-vectors"
    /// Readings of the hybrid clock, one after the other.
    case timestamps
    /// Values.
    case values
    /// Bodies of records.
    case records
    /// Merges of two records, and what is deleted then.
    case merges
    /// Unions of two contents under one clock, and recovered replica ids.
    case unites
    /// Fork rewrites.
    case forks
    /// Batches of changes.
    case changes
    /// All other messages.
    case messages
    /// Contents of the rows by which devices state their summaries at relays.
    case summaryRows = "summary-rows"
    /// Streams of frames.
    case frames
    /// SipHash-2-4 of both widths.
    case hashes = "siphash"
    /// Checksums and digests of records.
    case checksums

    /// The name of the file.
    package var fileName: String { rawValue + ".json" }

    package var description: String { rawValue }

    /// The case with its answer worked out from its question.
    ///
    /// - Returns: nil if the question cannot be read.
    package func answered(_ question: JSON) -> JSON? {
        switch self {
        case .versionVectors: VectorAnswers.versionVectors(question)
        case .timestamps: VectorAnswers.timestamps(question)
        case .values: VectorAnswers.value(question)
        case .records: VectorAnswers.record(question)
        case .merges: VectorAnswers.merge(question)
        case .unites: RepairVectors.answered(question)
        case .forks: VectorAnswers.fork(question)
        case .changes, .messages: VectorAnswers.message(question)
        case .summaryRows: VectorAnswers.summaryRow(question)
        case .frames: VectorAnswers.frames(question)
        case .hashes: VectorAnswers.hash(question)
        case .checksums: VectorAnswers.checksum(question)
        }
    }

    /// The names that belong to the question; the others are its answer.
    package var questionNames: Set<String> {
        switch self {
        case .versionVectors: ["name", "left", "right"]
        case .timestamps: ["name", "seen", "walls"]
        case .values, .changes, .messages: ["name", "hex"]
        case .summaryRows: ["name", "about", "hex"]
        case .records: ["name", "clock", "hex"]
        case .merges: ["name", "left", "right"]
        case .unites: ["name", "record", "left", "right"]
        case .forks: ["name", "old", "fork", "new", "records"]
        case .frames: ["name", "checksum", "hex"]
        case .hashes: ["name", "key", "hex"]
        case .checksums: ["name", "key", "records"]
        }
    }

    /// A case without its answer.
    package func question(of example: JSON) -> JSON? {
        guard case .object(let pairs) = example else { return nil }
        return .object(pairs.filter { questionNames.contains($0.name) })
    }

    /// The questions whose answers are frozen.
    package var questions: [JSON] {
        switch self {
        case .versionVectors: VectorQuestions.versionVectors
        case .timestamps: VectorQuestions.timestamps
        case .values: VectorQuestions.values
        case .records: VectorQuestions.records
        case .merges: VectorQuestions.merges
        case .unites: RepairVectors.questions
        case .forks: ForkVectors.questions
        case .changes: VectorQuestions.changes
        case .messages: VectorQuestions.messages
        case .summaryRows: VectorQuestions.summaryRows
        case .frames: VectorQuestions.frames
        case .hashes: VectorQuestions.hashes
        case .checksums: VectorQuestions.checksums
        }
    }
}
