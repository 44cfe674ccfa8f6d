/// Copies of a whole disk, and damage to it.
extension SimulatedDisk {
    /// What the disk holds, as the processes see it.
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
            case .inPlace:
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
