import Devices
import Glibc
import Terminal
import ToDo

/// Editing a to-do as a form in the user's editor.
///
/// The form is a scratchpad: only what was changed on it is saved, so what others changed meanwhile stays; and a
/// save on a to-do that was deleted meanwhile is refused, with the text kept in a file.
enum EditForm {
    /// Opens the editor, and saves what was changed.
    static func run(
        _ stored: Record, _ arguments: Arguments, _ context: CommandContext
    ) throws -> ExitCode {
        let old = ToDoMapping.item(stored)
        let form = ToDoForm(old, zone: context.zone)
        var text = form.text
        while true {
            let (changed, path) = try Editor.change(text, in: context.device.folder)
            if changed == form.text {
                Editor.discard(path)
                Screen.line("Nothing was changed: \(old.shownTitle)")
                return .ok
            }
            do {
                var new = try form.read(
                    changed, now: context.now, weekStart: context.weekStart,
                    dateOrder: context.settings.dateOrder)
                try ItemWords.check(new, before: old)
                if new.repeats != old.repeats, let rule = new.repetition {
                    new.repeats = context.todos.placed(rule, of: new).text
                }
                let isChanged = try save(stored, old, new, path, context)
                Editor.discard(path)
                return try ItemEdit.finish(
                    stored, old, new, isChanged: isChanged, arguments, context)
            } catch let error as ToDoWordsError {
                Screen.error("tandem: \(error)\n")
                guard Screen.canAsk, Screen.confirm("Edit it again?") else {
                    throw CommandFailure(.badData, "nothing was saved; your text is in \(path)")
                }
                text = changed
            }
        }
    }

    private static func save(
        _ stored: Record, _ old: ToDoItem, _ new: ToDoItem, _ path: String,
        _ context: CommandContext
    ) throws -> Bool {
        do {
            return try context.todos.edit(stored.id, from: old, to: new)
        } catch StoreFault.recordPurged {
            throw CommandFailure(
                .refused,
                """
                '\(old.shownTitle)' was purged while you edited it, so nothing was saved; \
                your text is in \(path)
                """)
        } catch StoreFault.recordDeleted {
            var by = ""
            if let now = try context.todos.stored(stored.id),
                let deletion = try context.todos.deletion(of: now)
            {
                by = " on \(deletion.device.shownInLine)"
            }
            throw CommandFailure(
                .refused,
                """
                '\(old.shownTitle)' was deleted\(by) while you edited it, so nothing was saved; \
                your text is in \(path); to go on: \(AdvisedLine.program) restore \(context.end(of: stored.id)), then edit it again
                """)
        }
    }
}

/// The user's editor, on a file of its own.
enum Editor {
    /// Lets the user change a text.
    ///
    /// - Parameter folder: where the file is made, which nobody else may read.
    /// - Returns: what stands in the file afterwards, and the file itself.
    static func change(_ text: String, in folder: String) throws -> (text: String, path: String) {
        let path = "\(folder)/edit-\(getpid()).txt"
        try write(text, to: path)
        let program =
            ["VISUAL", "EDITOR"].lazy.compactMap { CommandContext.environment($0) }
            .first { !$0.isEmpty } ?? "vi"
        Screen.flush()
        // As others do: the variable may hold options, so a shell parts its words.
        let status = run(["sh", "-c", "\(program) \"$1\"", "sh", path])
        guard status == 0 else {
            unlink(path)
            throw CommandFailure(
                .nothing, "the editor '\(program)' ended with \(status); nothing was saved")
        }
        return (try read(path), path)
    }

    /// Removes the file.
    static func discard(_ path: String) { unlink(path) }

    private static func write(_ text: String, to path: String) throws {
        // Another account may have made a link of that name.
        unlink(path)
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw CommandFailure(.cannotCreate, "\(path) cannot be made")
        }
        defer { close(file) }
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes {
                Glibc.write(file, $0.baseAddress, $0.count)
            }
            guard count > 0 else {
                throw CommandFailure(.inputOutput, "\(path) cannot be written")
            }
            start += count
        }
    }

    private static func read(_ path: String) throws -> String {
        guard let file = fopen(path, "r") else {
            throw CommandFailure(.noInput, "the editor left no file at \(path)")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.badData, "\(path) is no UTF-8 text; it was left there")
        }
        return text
    }

    private static func run(_ words: [String]) -> Int32 {
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var pid = pid_t()
        guard posix_spawnp(&pid, words[0], nil, nil, &arguments, environ) == 0 else { return 127 }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }
}
