import Core
import Session

/// Handling of the messages that a device sends.
extension RelayServerSession {
    mutating func hear(_ message: Message) {
        if phase == .mailbox, hearInMailbox(message) { return }
        switch (message, phase) {
        case (.ignorable, _): return
        case (.error(let error), _): end(.failed(error, SessionSide(heard: error.side)))
        case (.bye, _): end(.finished)
        case (.relayHello(let relayHello), .awaitingHello):
            replica = relayHello.replica
            phase = .admitting
            effects.append(.admit(relayHello))
        case (.mailbox(let mailbox), .awaitingHello):
            // Items may follow at once: they are put in behind the opening, whenever that is answered.
            phase = .mailbox
            effects.append(.openMailbox(mailbox))
        case (.hello, .awaitingHello): refuse(.greeted)
        case (_, .awaitingHello):
            refuse(.outOfOrder("message \(message.kind) in place of a relay hello"))
        case (_, .admitting):
            refuse(.outOfOrder("message \(message.kind) before the relay hello reply"))
        case (.changes(let batch), _): hearBatch(batch)
        case (.part(let part), _): hearPart(part)
        case (.uploadDone(let upload), _): hearUpload(upload)
        case (.unreadable(let versions), _): queue(.unreadable(versions.marks))
        case (.rekeyMessage(let rekeyMessage), _):
            if takesUploads { effects.append(.queue(.rekeyMessage(rekeyMessage))) }
        case (.acknowledge(let count), _): hearAcknowledge(count)
        case (.ping(let number), _):
            // A device that reads nothing of what is sent gets no more pongs.
            if linkByteCount <= limits.sendQueueByteCountMax { send(.pong(number)) }
        case (.pong(let number), _):
            guard number > answeredPingCount, number <= pingCount else {
                refuse(.outOfOrder("a pong \(number) that answers no ping"))
                return
            }
            answeredPingCount = number
        case (.relayHello, _): refuse(.outOfOrder("a second relay hello"))
        case (.relayHelloReply, _), (.downloadDone, _):
            refuse(.outOfOrder("message \(message.kind), which only relays send"))
        default:
            refuse(.outOfOrder("message \(message.kind), which only devices exchange"))
        }
    }

    /// Hears a message of a device that has asked for a mailbox; false for those that are the same in all conversations.
    private mutating func hearInMailbox(_ message: Message) -> Bool {
        switch message {
        case .mailboxItem(let item): effects.append(.put(item))
        case .ignorable, .error, .bye, .ping, .pong: return false
        default: refuse(.outOfOrder("message \(message.kind) in a conversation about a mailbox"))
        }
        return true
    }

    /// The memory that a body takes of which the rest, or the batch, has not come; in bytes.
    var heldByteCount: Int { (assembly?.heldByteCount ?? 0) + (assembled?.heldByteCount ?? 0) }

    private mutating func hearPart(_ part: BodyPart) {
        guard assembled == nil else {
            refuse(.outOfOrder("a second long body before the batch of the first"))
            return
        }
        let isNext: Bool
        if assembly == nil {
            assembly = BodyAssembly(part)
            isNext = assembly != nil
        } else {
            isNext = assembly?.add(part) == true
        }
        guard isNext else {
            refuse(.outOfOrder("a part that does not fit the body before it"))
            return
        }
        if let change = assembly?.change {
            assembled = change
            assembly = nil
        }
    }

    private mutating func hearBatch(_ batch: ChangeBatch) {
        guard assembly == nil else {
            refuse(.outOfOrder("a batch inside a long body"))
            return
        }
        // Openings are the devices' own matter: nothing of them is kept.
        var batch = ChangeBatch(changes: batch.changes, through: batch.through)
        if let change = assembled {
            batch.changes.append(change)
            assembled = nil
        }
        guard batch.changes.allSatisfy({ $0.name.collection == .relayed }) else {
            refuse(.malformed(.outOfRange(.collection)))
            return
        }
        queue(.changes(batch))
    }

    private mutating func hearUpload(_ upload: UploadDone) {
        guard assembly == nil, assembled == nil else {
            refuse(.outOfOrder("the end of an upload inside a long body"))
            return
        }
        guard upload.rows.allSatisfy({ $0.key.replica == replica }) else {
            refuse(.malformed(.outOfRange(.summaryRow)))
            return
        }
        queue(.uploadDone(upload))
    }

    /// Whether uploads are taken: what follows a refused one may build on it.
    private var takesUploads: Bool { uploadRefusal == nil && !isLeaving }

    private mutating func queue(_ item: RelayUploadItem) {
        if !takesUploads { return }
        queuedCount += 1
        queuedByteCount += item.byteCount
        guard queuedCount <= limits.windowBatchCount else {
            refuse(.overLimit("batches before an acknowledgement", max: limits.windowBatchCount))
            return
        }
        guard queuedByteCount <= limits.receivedByteCountMax else {
            refuse(.overLimit("bytes before an acknowledgement", max: limits.receivedByteCountMax))
            return
        }
        effects.append(.queue(item))
    }

    mutating func receiveCommitted(_ receipt: RelayReceipt) {
        queuedCount -= receipt.itemCount
        queuedByteCount -= receipt.byteCount
        committedCount += UInt64(receipt.itemCount)
        owesAcknowledgement = receipt.itemCount > 0
        // Before the acknowledgement, with which the device has the answer to all that it said.
        for answer in UnreadableVersions.messages(receipt.unreadable, unknown: receipt.unknown) {
            send(.unreadable(answer))
        }
        for stretch in receipt.own where stretch.upperBound > cursor {
            if let last = own.last, last.upperBound + 1 == stretch.lowerBound {
                own[own.count - 1] = last.lowerBound...stretch.upperBound
            } else {
                own.append(stretch)
            }
        }
        if own.count > limits.ownStretchCountMax {
            own.removeFirst(own.count - limits.ownStretchCountMax)
        }
        isDirty = true
        hasChanged = true
    }
}
