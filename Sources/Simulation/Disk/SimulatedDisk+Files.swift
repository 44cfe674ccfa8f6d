import Storage

/// The small files beside a database, and the names of all.
extension SimulatedDisk {
    /// Whether there is a file or folder.
    package func exists(_ path: String) -> Bool {
        names[path] != nil || hasFolder(path)
    }

    /// Makes a folder and those above it.
    package func makeFolder(_ path: String) throws(StoreFault) {
        if hasFolder(path) { return }
        guard admit() else { throw fault("mkdir", path) }
        addFolder(path)
    }

    /// Does nothing: files on this disk have no owners and no modes.
    package func makePrivateFile(_ path: String) throws(StoreFault) {}

    /// The names of the files in a folder.
    package func fileNames(in folder: String) -> [String] {
        if hasFuseBlown { return [] }
        let start = folder + "/"
        return names.keys.filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
            .filter { !$0.contains("/") }.sorted()
    }

    /// How long a file is; 0 if there is none.
    package func byteCount(of path: String) -> Int { names[path]?.content.byteCount ?? 0 }

    /// The bytes of a file; nil if there is none.
    package func read(_ path: String) -> [UInt8]? {
        hasFuseBlown ? nil : names[path]?.content.bytes
    }

    /// Puts a file in place whole, under another name first: five changes, at each of which the process
    /// may end.
    package func replace(_ path: String, with bytes: [UInt8]) throws(StoreFault) {
        try replace(path, with: bytes, flushes: true)
        try flushFolder(of: path)
    }

    /// Puts a file in place whole, and flushes nothing.
    package func replaceUnflushed(_ path: String, with bytes: [UInt8]) throws(StoreFault) {
        try replace(path, with: bytes, flushes: false)
    }

    private func replace(
        _ path: String, with bytes: [UInt8], flushes: Bool
    ) throws(StoreFault) {
        let temporary = path + ".new"
        let file: DiskFile
        if let old = names[temporary] {
            guard resize(old, to: 0) else { throw fault("open", temporary) }
            file = old
        } else {
            guard let new = makeFile(temporary) else { throw fault("open", temporary) }
            file = new
        }
        let isWritten = bytes.withUnsafeBytes { write($0, to: file, at: 0) }
        guard isWritten else { throw fault("write", temporary) }
        if flushes, !sync(file, at: temporary) { throw fault("fsync", temporary) }
        guard admit() else { throw fault("rename", path) }
        rename([(temporary, nil), (path, file)])
        file.touch(time: tick())
    }

    /// Gives a file another name.
    package func move(_ path: String, to other: String) throws(StoreFault) {
        guard let file = names[path], admit() else { throw fault("rename", path) }
        rename([(path, nil), (other, file)])
        file.touch(time: tick())
    }

    /// Brings the names in a file's folder to the disk.
    package func flushFolder(of path: String) throws(StoreFault) {
        guard syncNames(besides: path) else { throw fault("fsync", path) }
    }

    /// Takes a file away, if it is there and that is admitted.
    package func remove(_ path: String) {
        guard names[path] != nil, admit() else { return }
        rename([(path, nil)])
    }

    /// Which file it is, and when it was changed.
    package func identify(_ path: String) throws(StoreFault) -> FileIdentity {
        guard !hasFuseBlown, let file = names[path] else { throw fault("statx", path) }
        return FileIdentity(
            file: "\(number) \(file.inode) \(file.birth)", changed: "\(file.changed)")
    }

    /// Opens a lock file; makes it if there is none.
    package func openLockFile(_ path: String) throws(StoreFault) -> any LockFile {
        guard !hasFuseBlown, let file = names[path] ?? makeFile(path) else {
            throw fault("open", path)
        }
        return SimulatedLockFile(file, at: path, on: self)
    }

    /// The process that writes a database; no names are kept.
    package func holder(ofDatabase path: String) -> String { "another process" }

    /// The processes that have a store open; no names are kept.
    package func opener(ofLockFile path: String) -> [LockHolder] { [] }

    /// Nobody else runs meanwhile.
    package func pause(microseconds: UInt32) {}

    /// The error of a call.
    func fault(_ call: String, _ path: String) -> StoreFault {
        if isOutOfSpace { return .diskFull(path: path) }
        let detail = hasFuseBlown ? "the process has ended" : "no such file"
        return .inputOutput(call: call, path: path, detail: detail)
    }
}

/// Copies of a whole disk, and damage to it.
extension SimulatedDisk {
    /// The contents of the disk, as the processes see it.
    package func snapshot() -> DiskImage {
        DiskImage(
            files: names.sorted { $0.key < $1.key }.map { path, file in
                DiskImage.File(
                    path: path, inode: file.inode, birth: file.birth, changed: file.changed,
                    content: file.content)
            })
    }

    /// Puts an older state of this disk, or that of another one, in place of what is there.
    ///
    /// Nobody may have a file open. What the image does not have is taken away, but for what
    /// `databaseAlone` leaves alone.
    package func restore(_ image: DiskImage, _ manner: RestoreManner) {
        var restored: [String: DiskFile] = [:]
        if manner == .databaseAlone {
            for (path, file) in names where !Self.isOfDatabase(path) { restored[path] = file }
        }
        for file in image.files {
            switch manner {
            case .unnoticed:
                skip(toTime: file.changed, inode: file.inode)
                restored[file.path] = DiskFile(
                    inode: file.inode, birth: file.birth, changed: file.changed,
                    content: file.content, mayLosePower: mayLosePower)
            case .overwriting:
                restored[file.path] = overwritten(file)
            case .replaced:
                restored[file.path] = replaced(file)
            case .databaseAlone:
                if Self.isOfDatabase(file.path) { restored[file.path] = overwritten(file) }
            }
        }
        settle(restored)
    }

    private func replaced(_ file: DiskImage.File) -> DiskFile {
        let new = makeFile()
        new.replaceContent(file.content, time: tick())
        return new
    }

    private func overwritten(_ file: DiskImage.File) -> DiskFile {
        guard let old = names[file.path] else { return replaced(file) }
        old.replaceContent(file.content, time: tick())
        return old
    }

    private static func isOfDatabase(_ path: String) -> Bool {
        [".db", ".db-wal", ".db-journal"].contains { path.hasSuffix($0) }
    }

    /// Turns over one bit of a file, as a disk that grows old does; nobody is told, and no time changes.
    ///
    /// - Returns: the page of 4096 bytes, counted from 0, and the bit in it; nil if there is no byte.
    @discardableResult
    package func flipBit(
        of path: String, choosing chance: inout Chance
    ) -> (page: Int, bit: Int)? {
        guard let file = names[path], file.content.pageCount > 0 else { return nil }
        var (page, bit) = (0, 0)
        // Mostly where something is: a file is mostly zeros.
        for _ in 0..<8 {
            page = chance.below(file.content.pageCount)
            bit = chance.below(PagedBytes.pageByteCount * 8)
            if file.content.byte(bit / 8, ofPage: page) != 0 { break }
        }
        file.flip(bit: bit, ofPage: page)
        return (page, bit)
    }

    /// Turns over a certain bit of a file, counted from 0; nothing happens past its last page.
    package func flip(bit: Int, of path: String) {
        let pageBitCount = PagedBytes.pageByteCount * 8
        names[path]?.flip(bit: bit % pageBitCount, ofPage: bit / pageBitCount)
    }

    /// The files in a folder that hold anything, in the order of their paths.
    package func paths(under folder: String) -> [String] {
        names.filter { $0.key.hasPrefix(folder + "/") && $0.value.content.byteCount > 0 }
            .map(\.key).sorted()
    }

    /// The files with their bytes, in the order of their paths: to be written to a real folder.
    package func contents() -> [(path: String, bytes: [UInt8])] {
        names.sorted { $0.key < $1.key }.map { ($0.key, $0.value.content.bytes) }
    }
}
