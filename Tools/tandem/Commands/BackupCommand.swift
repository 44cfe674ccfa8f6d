import Devices
import JSON
import Terminal

/// Copies the store.
enum BackupCommand: Command {
    static let name = "backup"
    static let summary = "Copy the store to a new folder"
    static let help = """
          tandem backup ~/backups/todos-2026-11-21
          tandem backup --without-keys /mnt/shared/todos

        The copy is complete even if other commands write meanwhile.
        To restore single to-dos from it: tandem restore --from FOLDER
        To return to it, move it to the place of the store or name it with --store, on
        this machine or another. It takes a new identity by itself, and a sync fetches
        newer changes from other devices.

        The copy contains this device's keys (device.key, keyring, trusted), so it needs
        no new code. Anyone who has it can read all to-dos, also those synced later:
        keep it as safe as the device. If it is stolen, run on another device: tandem
        revoke DEVICE

        --verify          read the copy back and check that it is complete
        --without-keys    copy the to-dos alone; such a copy needs a code to join again
        """
    static let flags = ["without-keys", "verify"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard let folder = arguments.words.first, arguments.words.count == 1 else {
            throw CommandFailure(.usage, "say where to: \(AdvisedLine.program) backup FOLDER")
        }
        let context = try CommandContext.openToRead(arguments)
        let isVerified = arguments.has("verify")
        let hasKeys: Bool
        do {
            hasKeys = try context.device.copies.backup(
                to: folder, hasKeys: !arguments.has("without-keys"), isVerified: isVerified)
        } catch StoreFault.storeExists {
            throw CommandFailure(
                .refused,
                "there is a backup or a store in \(folder) already, which was left alone; take another "
                    + "folder")
        } catch CopyFault.damaged(_, let findings) {
            throw CommandFailure(
                .inputOutput,
                "the backup in \(folder) is damaged: \(findings.map(\.description).joined(separator: "; "))"
            )
        }
        if arguments.has("json") {
            Screen.line(
                JSONOutput.object([
                    ("backup", JSONOutput.text(folder)), ("keys", .bool(hasKeys)),
                    ("verified", .bool(isVerified)),
                ]))
        } else {
            let keys = hasKeys ? ", with this device's keys: keep it safe" : ""
            let whole = isVerified ? ", read back and found whole" : ""
            Screen.line("Backed up to \(folder)\(whole)\(keys)")
        }
        if hasKeys { FolderHint.tell(of: StorePaths(folder: folder)) }
        return .ok
    }
}
