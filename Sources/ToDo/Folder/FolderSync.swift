import Core
import Storage

/// Keeps a folder with one iCalendar file for each to-do (a *vdir*) and a store alike, both ways.
///
/// Each file is compared with its content when both sides were last brought together, remembered
/// in the store (`FolderEntry`): only what another program changed since then becomes an edit, and it is
/// the edit of somebody who has seen no more than that file. So it merges field by field with what happened
/// in the store meanwhile, and two values of one field become a conflict as between two devices. A file
/// that is gone is a delete in the same sense.
///
/// A look at the folder is one transaction: what the files say is taken together with the memory of
/// them, and what is about to be written is remembered before it is. So a crash at any place is made good
/// by the next look.
package struct FolderSync {
    /// The to-dos.
    package let todos: ToDoStore
    /// The name under which the memory of this folder is kept: its path.
    package let folder: String
    /// The project whose to-dos are in the folder, with all below it; nil for all to-dos.
    package let project: String?
    /// Whether files of to-dos may go that the folder was for so far.
    package let mayNarrow: Bool

    /// Keeps a folder and to-dos alike.
    package init(
        todos: ToDoStore, folder: String, project: String? = nil, mayNarrow: Bool = false
    ) {
        self.todos = todos
        self.folder = folder
        self.project = project
        self.mayNarrow = mayNarrow
    }

    var namespace: String { "folder\n\(folder)" }
    private var scopeNamespace: String { "folder-scope\n\(folder)" }
    private static let scopeName = "project"

    /// The device name of its values in conflicts.
    var shownName: String { "folder \(folder.split(separator: "/").last ?? "/")" }

    /// The project that the folder was for, nil for all to-dos; nil at all if that is not known.
    func scope() throws(StoreFault) -> String?? {
        guard let bytes = try todos.store.localMetadata(in: scopeNamespace)[Self.scopeName] else {
            return nil
        }
        let text = String(decoding: bytes, as: UTF8.self)
        return .some(text.isEmpty ? nil : text)
    }

    func rememberScope(_ transaction: Transaction) throws(StoreFault) {
        if try scope() == .some(project) { return }
        try transaction.setLocalMetadata(
            Array((project ?? "").utf8), named: Self.scopeName, in: scopeNamespace)
    }

    /// The files that are remembered, by name, with the revisions that tell whether they were changed since.
    package func known() throws(StoreFault) -> [String: String?] {
        try entries().mapValues { $0.intent == nil && $0.text != nil ? $0.revision : nil }
    }

    func entries() throws(StoreFault) -> [String: FolderEntry] {
        try todos.store.localMetadata(in: namespace).compactMapValues { FolderEntry(bytes: $0) }
    }

    /// Takes what the files say, and tells what has to be done to them.
    ///
    /// - Parameters:
    ///   - files: every file of the folder.
    ///   - isForced: whether to-dos are deleted although too many files are gone.
    ///   - isRehearsal: whether nothing is kept of it.
    package func look(
        _ files: [FolderFile], isForced: Bool = false, isRehearsal: Bool = false
    ) throws(StoreFault) -> FolderReport {
        var refused: [String: String] = [:]
        // Each round leaves out one file that the store refuses.
        for _ in 0...files.count {
            var pass = FolderPass(self, files, refused: refused, isForced: isForced)
            do throws(StoreFault) {
                if isRehearsal {
                    return try todos.store.rehearse { transaction throws(StoreFault) in
                        try pass.run(transaction)
                    }
                }
                let report = try todos.store.edit { transaction throws(StoreFault) in
                    try pass.run(transaction)
                }
                // A file outlives a power cut from when it is written: without the intent its text would count as typed.
                if !report.steps.isEmpty { try todos.store.flushForOutside() }
                return report
            } catch {
                guard let name = pass.current, refused[name] == nil, error.isOfOneRecord else {
                    throw error
                }
                refused[name] = "\(error)"
            }
        }
        return FolderReport()
    }

    /// Remembers what became of the steps of a look.
    package func settle(
        _ outcomes: [(step: FolderStep, outcome: FolderStep.Outcome)]
    )
        throws(StoreFault)
    {
        if outcomes.isEmpty { return }
        let known = try entries()
        try todos.store.edit { transaction throws(StoreFault) in
            for (step, outcome) in outcomes {
                guard var entry = known[step.name] else { continue }
                let intent = entry.intent
                entry.intent = nil
                switch (outcome, intent) {
                case (.done(let revision), .write(let text, let seen)?):
                    entry.text = text
                    entry.seen = seen
                    entry.revision = revision
                case (.done, _):
                    try transaction.setLocalMetadata(nil, named: step.name, in: namespace)
                    continue
                case (.changedMeanwhile, _), (.failed, _):
                    if entry.text == nil {
                        try transaction.setLocalMetadata(nil, named: step.name, in: namespace)
                        continue
                    }
                }
                try transaction.setLocalMetadata(entry.bytes, named: step.name, in: namespace)
            }
        }
    }

    /// Whether a to-do belongs into the folder.
    func isInside(_ item: ToDoItem) -> Bool {
        guard let project else { return true }
        return item.project == project || item.project.hasPrefix(project + ".")
    }
}

extension StoreFault {
    /// Whether it is about what one record would become.
    fileprivate var isOfOneRecord: Bool {
        switch self {
        case .overLimit, .recordExists, .recordPurged, .recordDeleted: true
        default: false
        }
    }
}

/// The owner of a folder, read from a hidden file in it, so that a second store leaves the folder
/// alone.
package struct FolderOwner: Equatable, Sendable {
    /// The name of that file.
    package static let fileName = ".tandem-store"
    /// The most of it that is read, in bytes.
    package static let byteCountMax = 4_096

    /// The store's replica id.
    let replica: ReplicaID
    /// The name of its device.
    package let device: String

    /// The file's text.
    package var bytes: [UInt8] {
        Array(
            """
            Tandem keeps this folder and one store in step; a second store needs a folder of its own.
            store: \(UUIDText.text(replica.value))
            device: \(device.replacing("\n", with: " "))

            """.utf8)
    }

    init(replica: ReplicaID, device: String) {
        self.replica = replica
        self.device = device
    }

    /// Reads the file; nil if it names no owner.
    package init?(bytes: [UInt8]) {
        var found: [Substring: String] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            guard let end = line.firstRange(of: ": ") else { continue }
            found[line[..<end.lowerBound]] = String(line[end.upperBound...])
        }
        guard let id = found["store"].flatMap(UUIDText.value) else { return nil }
        self.init(replica: ReplicaID(value: id), device: found["device"] ?? "")
    }
}

extension FolderSync {
    /// The content that this store gives the folder.
    package func owner() throws(StoreFault) -> FolderOwner {
        let replica = try todos.store.summary().replica
        return FolderOwner(replica: replica, device: try todos.deviceName(replica))
    }

    /// Whether that is this store, or what it was before it took a new identity.
    package func isOwn(_ owner: FolderOwner) throws(StoreFault) -> Bool {
        if try todos.store.summary().replica == owner.replica { return true }
        return try todos.store.identityChanges().contains { $0.old == owner.replica }
    }
}
