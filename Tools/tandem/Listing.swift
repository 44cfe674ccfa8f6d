import Causality
import Glibc
import Records

/// The numbers of the last listing on this device, kept beside the store.
enum Listing {
    /// Remembers which to-do has which number, from 1.
    ///
    /// A listing without any leaves the numbers of the one before.
    static func write(_ folder: String, _ ids: [RecordID]) {
        if ids.isEmpty { return }
        let path = folder + "/listing"
        let temporary = "\(path).\(getpid())"
        guard let file = fopen(temporary, "w") else { return }
        for id in ids { fputs(id.hexadecimal + "\n", file) }
        // A listing that cannot be kept costs the numbers, not the list.
        if fclose(file) == 0 { rename(temporary, path) } else { unlink(temporary) }
    }

    /// The to-do that had the number.
    static func read(_ folder: String, number: Int) -> RecordID? {
        let lineByteCount = 33
        guard number > 0, let file = fopen(folder + "/listing", "r") else { return nil }
        defer { fclose(file) }
        guard fseek(file, (number - 1) * lineByteCount, SEEK_SET) == 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 32)
        guard fread(&buffer, 1, 32, file) == 32 else { return nil }
        return RecordID(uuidText: String(decoding: buffer, as: UTF8.self))
    }
}
