import Core

/// The parcels that were read for one device.
struct RelayDelivery {
    /// Each a batch, with the parts of a long body before it.
    let parcels: [RelayParcel]
    /// Everything up to this arrival number is in them.
    let through: UInt64
    /// Goes behind them if nothing was left.
    let downloadDone: RelayDownloadDone?
}

/// The end of a run.
struct RelayDownloadDone {
    let parcel: RelayParcel
    /// Summary rows up to this number are sent with it.
    let rowsThrough: UInt64
    /// Whether these are all: if not, another one follows.
    let isComplete: Bool
    /// Whether it brings any.
    let hasRows: Bool
}

/// Messages for devices, encoded once for all that get them.
final class RelayParcel {
    /// The messages, in order and without a gap.
    let messages: [Message]
    /// The bytes of the bodies in it.
    let byteCount: Int
    /// How many changes it brings.
    let changeCount: Int
    private var framed: [Bool: [UInt8]] = [:]
    /// How often it was encoded: once for each kind of link.
    var encodedCount: Int { framed.count }

    init(_ messages: [Message], byteCount: Int = 0, changeCount: Int = 0) {
        self.messages = messages
        self.byteCount = byteCount
        self.changeCount = changeCount
    }

    /// The frames, encoded when they are first asked for.
    func bytes(hasChecksum: Bool) -> [UInt8] {
        if let found = framed[hasChecksum] { return found }
        var bytes: [UInt8] = []
        for message in messages {
            let frame = Frame.encode(message, hasChecksum: hasChecksum)
            if messages.count == 1 { bytes = frame } else { bytes.append(contentsOf: frame) }
        }
        framed[hasChecksum] = bytes
        return bytes
    }
}
