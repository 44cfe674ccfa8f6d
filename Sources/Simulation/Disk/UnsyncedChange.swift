/// What was done to a file since it was last brought to the disk.
struct UnsyncedChange {
    /// What was done.
    enum Deed {
        case write([UInt8], offset: Int)
        case resize(Int)
    }

    let deed: Deed
    /// The file's change time afterwards.
    let time: UInt64

    /// Does it to bytes.
    func apply(to content: inout PagedBytes) {
        switch deed {
        case .write(let bytes, let offset):
            bytes.withUnsafeBytes { content.write($0, at: offset) }
        case .resize(let count): content.resize(to: count)
        }
    }

    /// Does to bytes what is left of it if the power goes while it is being done: some of the sectors.
    func applyTorn(to content: inout PagedBytes, choosing chance: inout Chance) {
        guard case .write(let bytes, let offset) = deed else { return }
        var place = offset
        while place < offset + bytes.count {
            let end = min(
                (place / Self.sectorByteCount + 1) * Self.sectorByteCount, offset + bytes.count)
            if chance.happens(1, in: 2) {
                bytes.withUnsafeBytes {
                    content.write(
                        UnsafeRawBufferPointer(rebasing: $0[(place - offset)..<(end - offset)]),
                        at: place)
                }
            }
            place = end
        }
    }

    /// Makes the file as long as it would be, with zeros in place of the bytes.
    func applyLength(to content: inout PagedBytes) {
        guard case .write(let bytes, let offset) = deed, offset + bytes.count > content.byteCount
        else { return }
        content.resize(to: offset + bytes.count)
    }

    /// What a disk writes whole or not at all.
    static let sectorByteCount = 512
}
