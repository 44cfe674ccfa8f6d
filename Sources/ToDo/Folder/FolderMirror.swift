import Core
import Glibc
import Storage

/// Keeps a folder on the disk and a store in step: once, or until the process ends.
package struct FolderMirror {
    /// How a folder is kept.
    package struct Options: Sendable {
        /// The project whose to-dos are in the folder, with all below it; nil for all to-dos.
        package var project: String?
        /// Whether only to look.
        package var isRehearsal = false
        /// Whether to-dos are deleted although too many files are gone; holds for the first look.
        package var isForced = false
        /// Whether files of to-dos may go that the folder was for so far.
        package var mayNarrow = false
        /// Whether a folder that another store keeps is taken over.
        package var takesOver = false

        /// The usual ones.
        package init() {}
    }

    /// The result of one look at the folder.
    package struct Look {
        /// Why nothing was done; nil if something was.
        package let refusal: FolderReport.Refusal?
        /// The things that were done, or in a rehearsal would be.
        package let events: [FolderEvent]
        /// Whether no file was changed meanwhile, so that another look finds nothing new.
        package let isSettled: Bool
    }

    /// How often a watch looks at the store; milliseconds.
    private static let intervalMilliseconds: UInt32 = 500
    /// How long a file may be gone before it counts as deleted; milliseconds.
    private static let replacementMilliseconds: UInt32 = 300
    /// How often one run looks again because files changed under its hands.
    private static let roundCountMax = 5

    private let store: Store
    private let zone: LocalTimeZone
    private let options: Options
    private let wallMilliseconds: () -> Int64
    /// The folder; nil in the rehearsal of one that is still to be made.
    private let folder: ToDoFolder?
    /// The path of the folder, without links.
    package let path: String

    /// Opens the folder, makes it if it was never there, and marks it as this store's.
    ///
    /// - Parameter wallMilliseconds: reads the wall clock; milliseconds since 1970-01-01 UTC.
    /// - Throws: a `ToDoFolderFault`; a `StoreFault`.
    package init(
        _ store: Store, at path: String, zone: LocalTimeZone, _ options: Options,
        wallMilliseconds: @escaping () -> Int64
    ) throws {
        self.store = store
        self.zone = zone
        self.options = options
        self.wallMilliseconds = wallMilliseconds
        func sync(_ path: String) -> FolderSync {
            Self.sync(
                ToDoStore(store: store, now: wallMilliseconds(), zone: zone), path, options)
        }
        if ToDoFolder.isThere(path) {
            folder = try ToDoFolder(path)
        } else {
            let known = try sync(ToDoFolder.future(path)).known()
            guard known.isEmpty else {
                throw ToDoFolderFault.gone(path: path, fileCount: known.count)
            }
            folder = options.isRehearsal ? nil : try ToDoFolder.make(path)
        }
        self.path = folder?.path ?? ToDoFolder.future(path)
        if let folder { try Self.claim(folder, sync(folder.path), options) }
    }

    /// Refuses a folder that another store keeps, and writes into it that this one does.
    private static func claim(
        _ folder: ToDoFolder, _ sync: FolderSync, _ options: Options
    ) throws {
        let found = folder.hidden(FolderOwner.fileName, byteCountMax: FolderOwner.byteCountMax)
        let owner = found.flatMap { FolderOwner(bytes: $0) }
        if let owner, try !sync.isOwn(owner), !options.takesOver {
            throw ToDoFolderFault.ofOtherStore(path: folder.path, device: owner.device)
        }
        let own = try sync.owner()
        if owner != own, !options.isRehearsal {
            try folder.writeHidden(FolderOwner.fileName, own.bytes)
        }
    }

    private static func sync(_ todos: ToDoStore, _ path: String, _ options: Options) -> FolderSync {
        FolderSync(
            todos: todos, folder: path, project: options.project, mayNarrow: options.mayNarrow)
    }

    /// Brings both together once; looks again if files changed meanwhile.
    package func run(_ looked: (Look) -> Void) throws {
        for _ in 0..<Self.roundCountMax {
            let look = try look(isForced: options.isForced)
            looked(look)
            if look.isSettled { return }
        }
    }

    private func look(isForced: Bool) throws -> Look {
        let sync = Self.sync(
            ToDoStore(store: store, now: wallMilliseconds(), zone: zone), path, options)
        let known = try sync.known()
        var files = try folder?.files(known: known) ?? []
        if let folder, !Set(known.keys).isSubset(of: files.map(\.name)) {
            // Some programs remove a file before they write it anew.
            usleep(Self.replacementMilliseconds * 1_000)
            files = try folder.files(known: known)
        }
        let report = try sync.look(files, isForced: isForced, isRehearsal: options.isRehearsal)
        guard let folder, !options.isRehearsal, report.refusal == nil else {
            return Look(
                refusal: report.refusal, events: report.events(after: nil), isSettled: true)
        }
        let outcomes = folder.perform(report.steps)
        try sync.settle(outcomes)
        let isSettled = !outcomes.contains {
            if case .changedMeanwhile = $0.outcome { true } else { false }
        }
        return Look(
            refusal: nil, events: report.events(after: outcomes.map(\.outcome)),
            isSettled: isSettled)
    }

    /// Brings both together now and whenever one of them changes.
    ///
    /// - Throws: a fault that does not pass; it never returns.
    package func watch(_ looked: (Look) -> Void) throws {
        guard let folder else { return }
        let changes = FileWatch(folder.path)
        var seen: (files: Set<String>, sequence: UInt64)?
        // The option holds for files missing now, not for those deleted later.
        var isForced = options.isForced
        while true {
            let files = try folder.fingerprint()
            let sequence = try store.news(after: .max).sequence
            if seen?.files != files || seen?.sequence != sequence {
                // Before the look, so that what comes during it is noticed.
                seen = (files, sequence)
                do {
                    let look = try look(isForced: isForced)
                    looked(look)
                    if !look.isSettled { seen = nil }
                    isForced = false
                } catch StoreFault.busy {
                    // Somebody writes for long: there is another time.
                    seen = nil
                }
            }
            // Asking the store is cheap; all files are read when one changed.
            repeat {
                changes.wait(milliseconds: Self.intervalMilliseconds)
            } while try seen != nil && !changes.dequeueChange()
                && store.news(after: .max).sequence == sequence
        }
    }
}
