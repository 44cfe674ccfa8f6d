import Core
import Session

/// Sending to the device: reads on, keeps to the window, reports when nothing is left.
extension RelayServerSession {
    mutating func receiveRelayHelloReply(_ relayHelloReply: RelayHelloReply, _ rowsAfter: UInt64) {
        precondition(phase == .admitting, "a relay hello reply that was not asked for")
        phase = .open
        cursor = relayHelloReply.start.sequence
        rowCursor = rowsAfter
        progressAt = now
        // The relay has read nothing of the device while the store decided.
        lastHeard = now
        isDirty = true
        send(.relayHelloReply(relayHelloReply))
    }

    /// Whether another batch may leave.
    private var hasRoom: Bool {
        inFlight.count < limits.windowBatchCount && inFlightByteCount < limits.windowByteCountMax
            && linkByteCount <= limits.sendQueueByteCountMax
    }

    /// Reads on if there may be something to send and room for it.
    mutating func readOn() {
        guard phase == .open, isDirty, !isReading, !isPausing, parcels.isEmpty, downloadDone == nil,
            hasRoom
        else { return }
        isReading = true
        hasChanged = false
        isReadingAllOwed = owesAcknowledgement
        effects.append(
            .read(RelayReadRequest(start: cursor, rowsAfter: rowCursor, own: own)))
    }

    mutating func receiveRead(_ delivery: RelayDelivery) {
        precondition(isReading, "an answer to a read that was not asked for")
        isReading = false
        parcels = delivery.parcels
        cursor = delivery.through
        own.removeAll { $0.upperBound <= cursor }
        guard let next = delivery.downloadDone else { return }
        isDirty = !next.isComplete || hasChanged
        hasReadAllOwed = isReadingAllOwed && next.isComplete
        let isNews =
            stoodThrough.map { $0 < delivery.through } ?? true || next.hasRows
        if isNews { downloadDone = (next, delivery.through) }
    }

    mutating func sendParcels() {
        var next = 0
        while next < parcels.count, hasRoom {
            let parcel = parcels[next]
            next += 1
            if inFlight.isEmpty { progressAt = now }
            effects.append(.deliver(parcel))
            lastSent = now
            sentCount += 1
            inFlight.append(parcel.byteCount)
            inFlightByteCount += parcel.byteCount
        }
        parcels.removeFirst(next)
        guard parcels.isEmpty, let ready = downloadDone,
            linkByteCount <= limits.sendQueueByteCountMax
        else { return }
        downloadDone = nil
        rowCursor = ready.downloadDone.rowsThrough
        if ready.downloadDone.isComplete {
            stoodThrough = ready.through
            firstRunCount = firstRunCount ?? sentCount
        } else {
            isPausing = true
        }
        effects.append(.deliver(ready.downloadDone.parcel))
        lastSent = now
    }

    /// How many batches the device has acknowledged.
    var acknowledgedCount: UInt64 { sentCount - UInt64(inFlight.count) }

    mutating func hearAcknowledge(_ count: UInt64) {
        guard count >= acknowledgedCount, count <= sentCount else {
            refuse(
                .outOfOrder(
                    "an acknowledgement of \(count) batches after \(acknowledgedCount), when "
                        + "\(sentCount) were sent"))
            return
        }
        let fresh = Int(count - acknowledgedCount)
        if fresh == 0 { return }
        inFlightByteCount -= inFlight[..<fresh].reduce(0, +)
        inFlight.removeFirst(fresh)
        progressAt = now
    }
}
