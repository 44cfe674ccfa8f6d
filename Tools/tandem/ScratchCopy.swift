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
        let copy = try ReadableCopy(
            of: folder(arguments), in: scratchParent, schema: ToDoSchema.collections)
        ScratchCopy.removeAtExit(copy.folder)
        Screen.error("tandem: read from a copy, as \(fault.words)\n")
        return try CommandContext(copy.device, keepsNumbers: false)
    }

    /// Where the folder of a copy is made: in memory, if the system has a place for that.
    private static var scratchParent: String {
        [environment("XDG_RUNTIME_DIR"), environment("TMPDIR")].compactMap(\.self)
            .first { !$0.isEmpty && access($0, W_OK | X_OK) == 0 } ?? "/tmp"
    }
}

/// The folder of the copy that this program reads from; the end of the program takes it away.
private enum ScratchCopy {
    nonisolated(unsafe) private static var folder: String?

    static func removeAtExit(_ path: String) {
        folder = path
        atexit { ScratchCopy.remove() }
    }

    private static func remove() {
        if let folder { StoreScratch.remove(folder) }
    }
}
