/// The result of a look at a folder.
package struct FolderReport: Sendable {
    /// Why nothing was done.
    package enum Refusal: Sendable, Equatable {
        /// Too many files are gone for it to be meant: so many of so many whose to-dos are not.
        case gone(Int, of: Int)
        /// So many files would be removed only because the folder was for another project so far, or for
        /// all to-dos: nil.
        case narrowed(from: String?, fileCount: Int)
    }

    /// The changes that were made to to-dos, and the problems.
    package var events: [FolderEvent] = []
    /// The steps on files, in order.
    package var steps: [FolderStep] = []
    /// The events of the steps, in their order.
    package var stepEvents: [FolderEvent] = []
    /// Why nothing at all was done; nil if something was.
    package var refusal: Refusal?

    /// The events, those of the steps as these came out.
    ///
    /// - Parameter outcomes: one for each step; nil if none was tried: then all would be done.
    package func events(after outcomes: [FolderStep.Outcome]?) -> [FolderEvent] {
        var all = events
        for (index, event) in stepEvents.enumerated() {
            switch outcomes?[index] {
            case .done?, nil: all.append(event)
            case .changedMeanwhile?: break
            case .failed(let detail)?:
                var problem = event
                problem.kind = .problem
                problem.problem = .unreachable(detail: detail)
                all.append(problem)
            }
        }
        return all
    }
}

/// One thing that a sync with a folder did, or could not do.
package struct FolderEvent: Sendable, Hashable {
    /// The kind of event.
    package enum Kind: String, Sendable {
        /// A to-do was made of a new file.
        case made
        /// A to-do took what another program wrote into its file.
        case updated
        /// A to-do went to the trash, as its file was deleted.
        case deleted
        /// A file was written.
        case written
        /// A file was removed.
        case removed
        /// A file is left alone as something is wrong with it.
        case problem
    }

    /// A step that solves a problem, where a program has a command for it.
    package enum NextStep: Sendable, Hashable {
        /// Restore the to-do with this identifier from the trash.
        case restore(UInt128)
    }

    /// The kind of event.
    package var kind: Kind
    /// The file.
    package var name: String
    /// The to-do; nil if it is not known.
    package var identifier: UInt128?
    /// The to-do's title; "" if it is not known.
    package var title: String
    /// The line of the file that is wrong, from 1.
    package var line: Int?
    /// The problem; nil if there is none.
    package var problem: FolderProblem?

    /// The problem in words; nil if there is none.
    package var reason: String? { problem.map { "\($0)" } }

    /// The step that solves the problem, if there is one that a program can take.
    package var next: NextStep? {
        guard case .inTrash(let identifier)? = problem else { return nil }
        return .restore(identifier)
    }

    init(
        _ kind: Kind, _ name: String, _ item: ToDoItem? = nil, line: Int? = nil,
        problem: FolderProblem? = nil
    ) {
        self.kind = kind
        self.name = name
        identifier = item?.identifier
        title = item?.title ?? ""
        self.line = line
        self.problem = problem
    }
}

/// A reason for which a file is left alone.
package enum FolderProblem: Hashable, Sendable, CustomStringConvertible {
    /// Its UID is that of another file, which counts.
    case sameIdentifier(file: String)
    /// Its to-do was purged.
    case purged
    /// Its to-do is in the trash.
    case inTrash(UInt128)
    /// Its to-do would make too large a file; the title.
    case tooLarge(title: String)
    /// It is not what it should be: the property, and the reader's words.
    case malformed(property: String?, detail: String)
    /// It cannot be read or written; the system's words.
    case unreachable(detail: String)

    /// The problem as half a sentence.
    package var description: String {
        switch self {
        case .sameIdentifier(let file): "its UID is that of \(file), which counts"
        case .purged: "its to-do was purged here; delete the file, or give it a new UID"
        case .inTrash: "its to-do is in the trash here; restore it, or delete the file"
        case .tooLarge(let title):
            "'\(title.prefix(40))' makes more than \(ICalendarLimits.folderFileByteCountMax) bytes, so its "
                + "file is not written"
        case .malformed(let property, let detail): (property.map { "\($0): " } ?? "") + detail
        case .unreachable(let detail): detail
        }
    }
}

/// A change of a file, which is made if the file is still as it was read.
package struct FolderStep: Sendable, Equatable {
    /// The file's name.
    package var name: String
    /// The content when it was read; nil if there was no such file.
    package var old: [UInt8]?
    /// The new content; nil if the file is to go.
    package var new: [UInt8]?

    /// The outcome of a step.
    package enum Outcome: Sendable {
        /// It was done; with the file's new revision, if it can be told already.
        case done(revision: String?)
        /// Somebody changed the file meanwhile: it was left alone, and is looked at again.
        case changedMeanwhile
        /// It failed; why, as half a sentence.
        case failed(String)
    }
}

/// A file of a folder that holds one to-do a file.
package struct FolderFile: Sendable {
    /// The content.
    package enum Content: Sendable {
        /// These bytes.
        case bytes([UInt8])
        /// The content of the last look, as the revision says.
        case asBefore
        /// No content, as it cannot be read; the reason is half a sentence.
        case unreadable(String)
    }

    /// Its name inside of the folder.
    package var name: String
    /// The content.
    package var content: Content
    /// The revision that tells a change without reading the file; nil if that cannot be told yet.
    package var revision: String?

    /// A file.
    package init(name: String, content: Content, revision: String? = nil) {
        self.name = name
        self.content = content
        self.revision = revision
    }
}
