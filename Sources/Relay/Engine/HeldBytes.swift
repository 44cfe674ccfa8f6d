import Session

/// The bound on the sum of half-received bytes, over all conversations.
extension RelayEngine {
    /// Counts what a conversation holds now, and ends conversations while all hold too much.
    ///
    /// Not who came last goes, but who holds most, of the address that holds most: many connections of one
    /// machine cannot crowd out another's upload.
    func boundHeld(_ id: RelayServerSessionID) {
        recount(id)
        while counts.heldByteCount > options.limits.heldByteCountMax {
            guard let greatest = greatestHolder() else { return }
            let own = conversations[greatest]?.countedHeldByteCount ?? 0
            add(
                greatest,
                .refused(.heldBytes(own: own, max: options.limits.heldByteCountMax)))
            drainQueue(now: now)
        }
    }

    private func recount(_ id: RelayServerSessionID) {
        guard let conversation = conversations[id] else { return }
        let count = conversation.heldByteCount
        counts.heldByteCount += count - conversation.countedHeldByteCount
        conversations[id]?.countedHeldByteCount = count
    }

    /// The conversation that holds most, of the address that holds most; of equals the oldest.
    private func greatestHolder() -> RelayServerSessionID? {
        var sums: [String: Int] = [:]
        for conversation in conversations.values where conversation.countedHeldByteCount > 0 {
            sums[conversation.channel.address, default: 0] += conversation.countedHeldByteCount
        }
        guard let most = sums.values.max() else { return nil }
        var found: (id: RelayServerSessionID, count: Int)?
        for (id, conversation) in conversations {
            let count = conversation.countedHeldByteCount
            guard count > 0, sums[conversation.channel.address] == most else { continue }
            guard let before = found else {
                found = (id, count)
                continue
            }
            if count > before.count || count == before.count && id < before.id {
                found = (id, count)
            }
        }
        return found?.id
    }
}
