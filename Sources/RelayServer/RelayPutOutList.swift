import Core
import Crypto
import Glibc
import Relay
import Storage
import Transport

/// The devices that the operator of a relay has put out of spaces: a text file in the relay's folder.
///
/// A line is a space, the generation that the relay had then, and a fingerprint. A relay that runs takes it over within a
/// second; the file is its owner's alone, like all others there.
package struct RelayPutOutList {
    /// The longest file; bytes.
    package static let byteCountMax = 1024 * 1024
    /// The name of the file in the relay's folder.
    package static let fileName = "put-out"

    private let path: String
    private let disk: any StoreDisk
    private var mark: Mark?

    /// The properties by which another file is told from the one before.
    private struct Mark: Equatable {
        let file: ino_t
        let byteCount: off_t
        let seconds: Int
        let nanoseconds: Int

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            file = status.st_ino
            byteCount = status.st_size
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }
    }

    /// The list in a relay's folder, which need not be there.
    package init(in folder: String, on disk: (any StoreDisk)? = nil) {
        path = folder + "/" + Self.fileName
        self.disk = disk ?? RelayDeviceList.environment.disk
    }

    /// Whether it is another one than was read last.
    package func hasChanged() -> Bool { Mark(path) != mark }

    /// Reads it; without a file nobody is out.
    ///
    /// - Throws: `RelayPutOutFault`.
    package mutating func read() throws(RelayPutOutFault) -> Set<RelayPutOut> {
        mark = Mark(path)
        guard mark != nil else { return [] }
        guard let file = fopen(path, "re") else { throw .unreadable(path: path, errno: errno) }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: Self.byteCountMax + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        guard count <= Self.byteCountMax else { throw .tooLong(path: path) }
        var devices: Set<RelayPutOut> = []
        let lines = String(decoding: bytes[..<count], as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.isEmpty && line.first != "#" {
            let words = line.split(separator: " ")
            guard words.count == 3, let space = SpaceID(uuidText: words[0]),
                let generation = UInt32(words[1]),
                let fingerprint = try? Fingerprint(parsing: String(words[2]))
            else { throw .damagedLine(path: path, line: index + 1) }
            devices.insert(
                RelayPutOut(
                    space: space, generation: generation, fingerprint: fingerprint.bytes))
        }
        return devices
    }

    /// Adds a device, whole or not at all, on the disk when it returns.
    package mutating func add(_ device: RelayPutOut) throws(RelayPutOutFault) {
        var devices = try read()
        guard devices.insert(device).inserted else { return }
        let lines = devices.map {
            let fingerprint = Fingerprint(bytes: $0.fingerprint)?.description ?? ""
            return "\($0.space.uuidText) \($0.generation) \(fingerprint)\n"
        }
        let text =
            "# Devices that are out: space, generation, fingerprint.\n" + lines.sorted().joined()
        let temporary = path + ".new"
        let descriptor = FileTrust.make(temporary)
        guard descriptor >= 0 else { throw .unwritten(path: path, errno: errno) }
        // A relay under another account than the operator's has to read it.
        var folder = stat()
        let parent = String(path.dropLast(Self.fileName.utf8.count + 1))
        if stat(parent, &folder) == 0, geteuid() == 0 {
            _ = fchown(descriptor, folder.st_uid, folder.st_gid)
        }
        let bytes = Array(text.utf8)
        let isWritten =
            write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten, rename(temporary, path) == 0 else {
            throw .unwritten(path: path, errno: isWritten ? errno : code)
        }
        // The new name is in the folder, and on the disk only with it.
        do { try disk.flushFolder(of: path) } catch { throw .unwritten(path: path, errno: EIO) }
    }
}

/// Why the list of devices that are out cannot be used.
package enum RelayPutOutFault: Error, Equatable, Sendable {
    /// It cannot be read.
    case unreadable(path: String, errno: CInt)
    /// It cannot be written.
    case unwritten(path: String, errno: CInt)
    /// It is longer than any such list.
    case tooLong(path: String)
    /// A line is no space, generation and fingerprint.
    case damagedLine(path: String, line: Int)
    /// The relay has no such space.
    case unknownSpace
    /// The device was never let into the space.
    case unknownDevice
}

extension RelayPutOutFault: CustomStringConvertible {
    /// The fault in words, then the next step.
    package var description: String {
        switch self {
        case .unreadable(let path, let code), .unwritten(let path, let code):
            "\(path): \(String(cString: strerror(code))) (errno \(code))"
        case .tooLong(let path):
            "\(path) has more than \(RelayPutOutList.byteCountMax) bytes; "
                + "delete lines that are not needed"
        case .damagedLine(let path, let line):
            "\(path), line \(line), makes no sense; correct or delete the line"
        case .unknownSpace: "the relay has no such space"
        case .unknownDevice: "that device was never let into the space"
        }
    }
}
