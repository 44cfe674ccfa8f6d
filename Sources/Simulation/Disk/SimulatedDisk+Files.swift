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
        guard sync(file) else { throw fault("fsync", temporary) }
        guard admit() else { throw fault("rename", path) }
        rename([(temporary, nil), (path, file)])
        file.touch(time: tick())
        try flushFolder(of: path)
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

    /// Opens a witness file; makes it if there is none.
    package func openWitness(_ path: String) throws(StoreFault) -> any WitnessFile {
        guard !hasFuseBlown, let file = names[path] ?? makeFile(path) else {
            throw fault("open", path)
        }
        return SimulatedWitness(file, at: path, on: self)
    }

    /// The process that writes a database; no names are kept.
    package func holder(ofDatabase path: String) -> String { "another process" }

    /// The process that has a store open; no names are kept.
    package func opener(ofWitness path: String) -> String { "another process" }

    /// Nobody else runs meanwhile.
    package func pause(microseconds: UInt32) {}

    /// What a call failed for.
    func fault(_ call: String, _ path: String) -> StoreFault {
        if isOutOfSpace { return .diskFull(path: path) }
        let detail = hasFuseBlown ? "the process has ended" : "no such file"
        return .inputOutput(call: call, path: path, detail: detail)
    }
}
