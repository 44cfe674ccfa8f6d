import Core

/// What devices say that the engine here does not know.
extension Device {
    /// A message that only newer versions know and others skip, now and then; nil at other times, and
    /// from devices whose version is not newer.
    func newerMessage(seed: UInt64) -> [UInt8]? {
        guard runsNewer else { return nil }
        var chance = newerChance ?? Chance(seed: seed, "newer messages of \(name)")
        defer { newerChance = chance }
        guard chance.happens(1, in: 6) else { return nil }
        let kind = chance.pick([Message.ignorableKindMin, 200, 70_000, UInt64.max])
        return Self.frame(ofKind: kind, &chance)
    }

    /// A message that no version here knows, and that may not be skipped.
    func unknownMessage(seed: UInt64) -> [UInt8] {
        var chance = Chance(seed: seed, "unknown message of \(name)")
        let kind = chance.pick([15, 64, Message.ignorableKindMin - 1])
        return Self.frame(ofKind: kind, &chance)
    }

    /// A frame with a message of that kind, with keys and values of all sorts.
    private static func frame(ofKind kind: UInt64, _ chance: inout Chance) -> [UInt8] {
        let count = chance.below(4)
        var writer = CanonicalWriter()
        writer.map(1 + count)
        writer.unsigned(0)
        writer.unsigned(kind)
        for key in 0..<count {
            writer.unsigned(UInt64(1 + key))
            switch chance.below(4) {
            case 0: writer.text("newer")
            case 1:
                writer.byteString((0..<chance.below(300)).map { _ in UInt8(chance.below(256)) })
            case 2:
                writer.array(2)
                writer.map(1)
                writer.integer(-1)
                writer.null()
                writer.identifier(UInt128(chance.next()))
            default: writer.unsigned(chance.next())
            }
        }
        return Frame.encode(payload: writer.bytes)
    }
}
