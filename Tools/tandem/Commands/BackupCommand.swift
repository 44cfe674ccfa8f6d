import Devices
import JSON
import Storage

/// Copies the store.
enum BackupCommand: Command {
    static let name = "backup"
    static let summary = "copies the store into a new folder"
    static let help = """
          tandem backup ~/backups/todos-2026-11-21
          tandem backup --without-keys /mnt/shared/todos

        The copy is whole, also while other commands write. To go back to it, put it
        in the place of the store, or name it with --store, on this machine or on
        another one: it takes a new identity by itself, and a sync fetches from other
        devices what was changed since.

        The keys go with it (device.key, keyring, trusted), so that the copy is this
        device to the others, and needs no new code. Whoever has it can read all to-dos,
        and what is synced later: keep it as safe as the device. If it is lost, revoke
        the device on another one: tandem revoke DEVICE.

        To take single to-dos out of it again: tandem restore --from FOLDER

        --verify          read it back, and check that all of it is there
        --without-keys    the to-dos alone; such a copy joins again with a code
        """
    static let flags = ["without-keys", "verify"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard let folder = arguments.words.first, arguments.words.count == 1 else {
            throw CommandFailure(.usage, "say where to: tandem backup FOLDER")
        }
        let place = try Workplace.open(arguments)
        let isVerified = arguments.has("verify")
        let hasKeys: Bool
        do {
            hasKeys = try place.device.copies.backup(
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
            Terminal.line(
                JSONOutput.object([
                    ("backup", JSONOutput.text(folder)), ("keys", .bool(hasKeys)),
                    ("verified", .bool(isVerified)),
                ]))
        } else {
            let keys = hasKeys ? ", with this device's keys: keep it safe" : ""
            let whole = isVerified ? ", read back and found whole" : ""
            Terminal.line("Backed up to \(folder)\(whole)\(keys)")
        }
        return .ok
    }
}
