import CLinux
import Core
import Crypto
import Glibc
import Storage

/// A small file that only its owner may read, written whole or not at all.
package enum PrivateFile {
    /// The largest file that is read.
    static let byteCountMax = 1 << 20

    /// A problem with a file.
    package enum Problem: Error {
        /// There is none.
        case missing
        /// There is one already.
        case exists
        /// Others may read or write it.
        case exposed(mode: UInt32)
        /// Another account may have put it there.
        case untrusted(FileDistrust)
        /// It is longer than any such file.
        case tooLarge
        /// A system call on it failed.
        case failedCall(errno: CInt)
    }

    /// Reads all of it.
    ///
    /// - Parameters:
    ///   - isSecret: whether others must not be able to read or write it.
    ///   - isOwn: whether nobody but this account and root may have put it there.
    package static func read(
        _ path: String, isSecret: Bool, isOwn: Bool = true
    ) throws(Problem) -> [UInt8] {
        let (descriptor, distrust) =
            isOwn ? FileTrust.open(path, O_RDONLY) : (open(path, O_RDONLY | O_CLOEXEC), nil)
        if let distrust { throw .untrusted(distrust) }
        guard descriptor >= 0 else {
            throw errno == ENOENT ? .missing : .failedCall(errno: errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .failedCall(errno: errno) }
        let mode = UInt32(status.st_mode) & 0o777
        if isSecret, mode & 0o077 != 0 { throw .exposed(mode: mode) }
        guard Int(status.st_size) <= byteCountMax else { throw .tooLarge }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 8192)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 {
                bytes += buffer[..<count]
                guard bytes.count <= byteCountMax else { throw .tooLarge }
            } else if count == 0 {
                return bytes
            } else if errno != EINTR {
                throw .failedCall(errno: errno)
            }
        }
    }

    /// Opens a file whose lock is held, made if there is none; one that another account may have put there is left alone.
    ///
    /// - Returns: its descriptor, or -1.
    package static func openLock(_ path: String) -> CInt {
        FileTrust.open(path, O_RDWR | O_CREAT).descriptor
    }

    /// Writes it so that a reader, and whoever looks after a power cut, sees all of it or what was
    /// there before.
    ///
    /// - Parameters:
    ///   - replaces: whether a file of that name is replaced; else `exists` is thrown.
    ///   - isDurable: whether it outlives a power cut from the return on.
    package static func write(
        _ bytes: [UInt8], to path: String, replaces: Bool, isDurable: Bool = true
    ) throws(Problem) {
        // Processes of several containers may share a folder, and have one number.
        let temporary = "\(path).\(getpid())-\(SystemEnvironment.random()).new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .failedCall(errno: errno) }
        defer { unlink(temporary) }
        do {
            defer { close(descriptor) }
            FileTrust.giveToOwnerOfFolder(descriptor, path)
            try fill(descriptor, bytes)
            guard !isDurable || fsync(descriptor) == 0 else { throw .failedCall(errno: errno) }
        }
        let result = replaces ? rename(temporary, path) : move(temporary, toFree: path)
        guard result == 0 else { throw errno == EEXIST ? .exists : .failedCall(errno: errno) }
        if isDurable { try flushFolder(of: path) }
    }

    /// Renames a file, unless the name is taken: it may be another process's new key.
    ///
    /// Where the file system cannot, it is a link, and the file has two names for a moment.
    private static func move(_ path: String, toFree other: String) -> CInt {
        let flags = UInt32(TANDEM_RENAME_NOREPLACE)
        let result = tandem_renameat2(AT_FDCWD, path, AT_FDCWD, other, flags)
        return result != 0 && [EINVAL, ENOSYS].contains(errno) ? link(path, other) : result
    }

    private static func fill(_ descriptor: CInt, _ bytes: [UInt8]) throws(Problem) {
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                offset += count
            } else if errno != EINTR {
                throw .failedCall(errno: errno)
            }
        }
    }

    private static func flushFolder(of path: String) throws(Problem) {
        let end = path.lastIndex(of: "/")
        let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failedCall(errno: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .failedCall(errno: errno) }
    }
}

/// The files that make a store that of one device in its space, besides the records: its key, its
/// keyring and its list of trusted devices.
package enum DeviceKeys {
    /// Copies them into the folder of a copied store, for its owner alone.
    ///
    /// The copy is the same device to all others.
    ///
    /// - Returns: whether there was anything to copy.
    package static func copy(from source: String, to target: String) throws(KeyringFault) -> Bool {
        var isAny = false
        if let keyring = try Keyring.read(in: source) {
            try keyring.write(in: target)
            isAny = true
        }
        let key = try copy(
            DeviceCertificate.path(in: source), to: DeviceCertificate.path(in: target),
            isSecret: true)
        let list = try copy(
            TrustedDevices.path(in: source), to: TrustedDevices.path(in: target), isSecret: false)
        return isAny || key || list
    }

    /// The fields by which a device of a space shows itself in its record; none without keys of that space.
    ///
    /// Nothing of them is secret: they are read whoever else may read the files, which keeps the device from its sessions.
    static func shown(in folder: String, _ space: SpaceID) -> [Assignment] {
        #if Encryption
            let path = Keyring.path(in: folder)
            guard let text = try? PrivateFile.read(path, isSecret: false),
                let keyring = try? Keyring(text: String(decoding: text, as: UTF8.self), path: path),
                keyring.space == space
            else { return [] }
            let keyPath = DeviceCertificate.path(in: folder)
            let pem = try? PrivateFile.read(keyPath, isSecret: false)
            let certificate =
                pem.map { try? DeviceCertificate(pem: $0, path: keyPath) }
                ?? (try? DeviceCertificate.kept(at: keyPath))
            return certificate.flatMap { try? SpaceMember.shown($0.fingerprint, keyring) } ?? []
        #else
            return []
        #endif
    }

    private static func copy(
        _ source: String, to target: String, isSecret: Bool
    ) throws(KeyringFault) -> Bool {
        do throws(PrivateFile.Problem) {
            let bytes = try PrivateFile.read(source, isSecret: isSecret)
            try PrivateFile.write(bytes, to: target, replaces: false)
            return true
        } catch .missing {
            return false
        } catch {
            throw KeyringFault(error, path: target)
        }
    }
}

#if Encryption
    extension DeviceCertificate {
        /// Reads the file.
        ///
        /// - Throws: `missing`, `exposed`, `damaged`, `failedCall`.
        package init(contentsOf path: String) throws(CertificateFault) {
            let bytes: [UInt8]
            do {
                bytes = try PrivateFile.read(path, isSecret: true)
            } catch {
                throw CertificateFault(error, path: path)
            }
            try self.init(pem: bytes, path: path)
        }

        /// Reads the file, or makes it if there is none; two programs that do so at once agree.
        ///
        /// - Throws: `exposed`, `damaged`, `failedCall`, `library`.
        package static func kept(at path: String) throws(CertificateFault) -> DeviceCertificate {
            do throws(CertificateFault) {
                return try DeviceCertificate(contentsOf: path)
            } catch .missing {
                let made = try DeviceCertificate()
                do throws(PrivateFile.Problem) {
                    try PrivateFile.write(made.pem, to: path, replaces: false)
                    return made
                } catch .exists {
                    return try DeviceCertificate(contentsOf: path)
                } catch {
                    throw CertificateFault(error, path: path)
                }
            }
        }
    }

    extension CertificateFault {
        fileprivate init(_ problem: PrivateFile.Problem, path: String) {
            switch problem {
            case .missing: self = .missing(path: path)
            case .untrusted(let reason): self = .untrusted(path: path, reason: "\(reason)")
            case .exposed(let mode): self = .exposed(path: path, mode: mode)
            case .tooLarge: self = .damaged(path: path, problem: "it is too large")
            case .exists: self = .failedCall(path: path, errno: EEXIST)
            case .failedCall(let code): self = .failedCall(path: path, errno: code)
            }
        }
    }
#else
    extension DeviceCertificate {
        /// Throws `notBuiltIn`.
        package init(contentsOf path: String) throws(CertificateFault) { throw .notBuiltIn }

        /// Throws `notBuiltIn`.
        package static func kept(at path: String) throws(CertificateFault) -> DeviceCertificate {
            throw .notBuiltIn
        }
    }
#endif
