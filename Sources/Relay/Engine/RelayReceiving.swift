import Core

/// The bytes that come for conversations.
///
/// A conversation that waits for the store keeps them unread, as they came: behind its relay hello until it is let in,
/// and behind an upload while too many bytes of all conversations are on their way into the store.
extension RelayEngine {
    /// Bytes came for a conversation.
    package func receive(
        _ id: RelayServerSessionID, _ bytes: UnsafeRawBufferPointer, now: Instant
    ) -> [Output] {
        if conversations[id] == nil { return [] }
        counts.receivedByteCount += bytes.count
        conversations[id]?.receivedByteCount += bytes.count
        conversations[id]?.decoder.append(bytes)
        hear(id, now: now)
        return finish(now)
    }

    /// Bytes came for a conversation.
    package func receive(_ id: RelayServerSessionID, _ bytes: [UInt8], now: Instant) -> [Output] {
        bytes.withUnsafeBytes { receive(id, $0, now: now) }
    }

    /// Hears the messages that have come whole.
    func hear(_ id: RelayServerSessionID, now: Instant) {
        guard let channel = conversations[id]?.channel else { return }
        while !isHeldBack(id, now: now) {
            do throws(WireFault) {
                guard let message = try conversations[id]?.decoder.next() else { break }
                add(id, .received(message))
            } catch {
                add(id, .undecodable(error))
                drainQueue(now: now)
                break
            }
            drainQueue(now: now)
        }
        // An idle conversation keeps no buffer.
        if let decoder = conversations[id]?.decoder, decoder.pendingByteCount == 0 {
            conversations[id]?.decoder = FrameDecoder(
                hasChecksum: channel.hasChecksum, byteCountMax: decoder.byteCountMax)
        }
        boundUnread(id)
        boundHeld(id)
    }

    /// Ends a conversation that sends more than it may while it is not heard.
    private func boundUnread(_ id: RelayServerSessionID) {
        guard let conversation = conversations[id] else { return }
        let limits = options.limits
        let (most, what) =
            conversation.isAdmitting
            ? (limits.admissionByteCountMax, "bytes before the relay hello reply")
            : (limits.receivedByteCountMax, "bytes before an acknowledgement")
        guard conversation.decoder.pendingByteCount > most else { return }
        add(id, .refused(.overLimit(what, max: most)))
        drainQueue(now: now)
    }

    /// Whether a conversation is not to be heard now.
    private func isHeldBack(_ id: RelayServerSessionID, now: Instant) -> Bool {
        guard let conversation = conversations[id] else { return true }
        if conversation.isAdmitting { return true }
        // Only who waits for a commit is held back: others can bring one item each at most.
        guard committingByteCount > 0, conversation.session.queuedCount > 0,
            committingByteCount + queuedByteCount >= options.limits.queuedByteCountMax
        else { return false }
        heldBack.insert(id)
        conversations[id]?.session.stopReading(now: now)
        return true
    }

    /// Hears those that were held back, now that a commit is over.
    func hearHeldBack() {
        if heldBack.isEmpty { return }
        let ids = heldBack.sorted()
        heldBack = []
        for id in ids {
            conversations[id]?.session.readAgain(now: now)
            hear(id, now: now)
        }
    }
}
