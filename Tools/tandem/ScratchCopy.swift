import Devices
import Glibc
import Terminal
import ToDo

/// Opening a store for a command that changes no to-do.
extension CommandContext {
    /// Opens the store; if it cannot be written, a copy of it, which is told beside the results.
    static func openToRead(_ arguments: Arguments) throws -> CommandContext {
        do {
            return try openToWrite(arguments)
        } catch let fault as StoreFault {
            guard case .readOnly = fault else { throw fault }
            return try openCopy(arguments, as: fault)
        }
    }

    /// Opens the store, to read alone if nothing is to be changed.
    static func open(_ arguments: Arguments, onlyReads: Bool) throws -> CommandContext {
        onlyReads ? try openToRead(arguments) : try open(arguments)
    }

    /// Opens a copy of the store, which is told beside the results.
    ///
    /// - Parameter fault: why the store cannot be written.
    static func openCopy(_ arguments: Arguments, as fault: StoreFault) throws -> CommandContext {
        try CommandContext(makeCopy(arguments, as: fault).device, keepsNumbers: false)
    }

    /// Makes a copy of the store, which is told beside the results.
    fileprivate static func makeCopy(
        _ arguments: Arguments, as fault: StoreFault
    ) throws -> ReadableCopy {
        let copy = try readCopy(arguments)
        Screen.error("tandem: read from a copy, as \(fault.words)\n")
        return copy
    }

    /// Makes a copy of the store, which goes away at the end of the program.
    fileprivate static func readCopy(_ arguments: Arguments) throws -> ReadableCopy {
        let copy = try ReadableCopy(
            of: folder(arguments), in: scratchParent, schema: ToDoSchema.collections)
        ScratchCopy.removeAtExit(copy.folder)
        return copy
    }

    /// Where the folder of a copy is made: in memory, if the system has a place for that.
    private static var scratchParent: String {
        [environment("XDG_RUNTIME_DIR"), environment("TMPDIR")].compactMap(\.self)
            .first { !$0.isEmpty && access($0, W_OK | X_OK) == 0 } ?? "/tmp"
    }
}

/// A store that is watched and cannot be written: it is read from another copy after each change of its files.
///
/// Between two looks there is no copy, so that a program that is killed leaves none behind.
struct CopiedStore {
    /// How often the store's files are looked at; milliseconds.
    static let intervalMilliseconds: UInt32 = 1_000
    /// How many looks in a row may fail before the watch ends.
    private static let failureCountMax = 3

    private let arguments: Arguments
    private var marks: ReadableCopy.Marks
    private var failureCount = 0

    /// Reads the store for the first time, and tells why from a copy.
    init(
        _ arguments: Arguments, as fault: StoreFault, _ body: (CommandContext) throws -> Void
    ) throws {
        self.arguments = arguments
        let copy = try CommandContext.makeCopy(arguments, as: fault)
        defer { copy.close() }
        marks = copy.marks
        try body(CommandContext(copy.device, keepsNumbers: false))
    }

    /// Reads the store if its files have changed; one that is being written just then is left for the next look.
    mutating func look(_ body: (CommandContext) throws -> Void) throws {
        guard try ReadableCopy.Marks(of: CommandContext.folder(arguments)) != marks else { return }
        let copy: ReadableCopy
        do {
            copy = try CommandContext.readCopy(arguments)
        } catch {
            if case StoreFault.busy = error { return }
            failureCount += 1
            if failureCount == Self.failureCountMax { throw error }
            return
        }
        defer { copy.close() }
        (marks, failureCount) = (copy.marks, 0)
        try body(CommandContext(copy.device, keepsNumbers: false))
    }
}

/// The folder of the copy that this program reads from; the end of the program takes it away.
private enum ScratchCopy {
    nonisolated(unsafe) private static var folder: String?

    static func removeAtExit(_ path: String) {
        if folder == nil { atexit { ScratchCopy.remove() } }
        folder = path
    }

    private static func remove() {
        if let folder { StoreScratch.remove(folder) }
    }
}
