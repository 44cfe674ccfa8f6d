import Core

/// A batch on its way out, with the long body that goes before it in parts.
package struct Parcel: Sendable {
    /// The change whose body is too long for a frame; it belongs to the batch.
    package let longChange: Change?
    /// The batch.
    package let batch: ChangeBatch

    /// How many records it brings.
    package var recordCount: Int { batch.changes.count + (longChange == nil ? 0 : 1) }

    /// The bytes of its bodies.
    package var byteCount: Int {
        batch.changes.reduce(longChange?.body.count ?? 0) { $0 + $1.body.count }
    }

    /// The messages, in order and without a gap.
    package var messages: [Message] {
        guard let longChange else { return [.changes(batch)] }
        var messages: [Message] = []
        let body = longChange.body
        for offset in stride(from: 0, to: body.count, by: WireLimits.partByteCountMax) {
            let end = min(offset + WireLimits.partByteCountMax, body.count)
            messages.append(
                .part(
                    BodyPart(
                        id: longChange.id, clock: longChange.clock, byteCount: body.count,
                        offset: offset, bytes: Array(body[offset..<end]),
                        isDeferred: longChange.isDeferred)))
        }
        messages.append(.changes(batch))
        return messages
    }

    /// Packs changes so that each batch fits a frame.
    ///
    /// - Parameters:
    ///   - changes: the changes in order.
    ///   - reached: how far the batches before the last one reach: no further than before these changes.
    ///   - through: how far all of them reach; nil for both if they come out of turn.
    ///   - incarnations: they go with the first batch.
    package static func pack(
        _ changes: [Change], from reached: Checkpoint?, through: Checkpoint?,
        incarnations: [ChangeBatch.AnnouncedIncarnation]
    ) -> [Parcel] {
        var parcels: [Parcel] = []
        var incarnations = incarnations
        var batch: [Change] = []
        var room = roomMax(beside: incarnations)
        func close(_ longChange: Change?, _ reach: Checkpoint?) {
            parcels.append(
                Parcel(
                    longChange: longChange,
                    batch: ChangeBatch(changes: batch, through: reach, incarnations: incarnations)))
            incarnations = []
            batch = []
            room = roomMax(beside: [])
        }
        for (index, change) in changes.enumerated() {
            let reach = index == changes.count - 1 ? through : reached
            let size = byteCountMax(of: change)
            if change.body.count > WireLimits.partByteCountMax {
                if !batch.isEmpty { close(nil, reached) }
                close(change, reach)
                continue
            }
            if !batch.isEmpty, size > room || batch.count == WireLimits.changesPerBatchMax {
                close(nil, reached)
            }
            batch.append(change)
            room -= size
        }
        if !batch.isEmpty { close(nil, through) }
        return parcels
    }

    /// The bytes that the changes of one batch may take in a frame, with some room for the batch's own fields.
    private static func roomMax(beside incarnations: [ChangeBatch.AnnouncedIncarnation]) -> Int {
        WireLimits.frameByteCountMax - 1024 - incarnations.count * 36
    }

    /// No fewer bytes than the change takes in a batch: identifier, heads, its place if it is deferred,
    /// and for each entry of its clock a place, a counter and a place's replica.
    private static func byteCountMax(of change: Change) -> Int {
        change.body.count + 32 + change.clock.entries.count * (12 + 16)
    }
}
