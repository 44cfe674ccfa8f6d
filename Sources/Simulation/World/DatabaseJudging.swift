import Core
import Relay
import Session
import Storage

/// The promises of a database that relays share, and of relays to devices that are connected to them.
extension World {
    /// The server of the database that a relay shares; 0 if it has its store for itself.
    func databaseOrigin(of device: SimulatedDevice) -> Int {
        device.traits.database.flatMap { databases[$0]?.origin } ?? 0
    }

    /// The relay at one end of a link.
    private func relayHost(of link: SimulatedLink) -> SimulatedDevice? {
        link.ends.lazy.map { self.devices[$0.deviceIndex] }.first(where: \.isRelay)
    }

    /// Whether a relay may say that a space is another one now.
    func mayBeReplaced(_ link: SimulatedLink) -> Bool {
        guard let host = relayHost(of: link), host.traits.database != nil else { return false }
        // A new secret that another relay was brought first is heard of by the next word with the database.
        return link.databaseOrigin != databaseOrigin(of: host) || hasChangedSecret
    }

    /// Whether a relay says that a space is another one now, or that it could not ask.
    func isOfAnotherServer(_ error: PeerError) -> Bool {
        error.reason == .replacedFile || error.reason == .storeBusy
    }

    /// Whether a relay takes no more than some records, or did so.
    func hasRecordLimit(_ link: SimulatedLink) -> Bool {
        guard let name = relayHost(of: link)?.traits.database else { return false }
        return databases[name]?.wasLimited == true && !isHealing
    }

    /// Whether the rows of a database fit together, whoever has written them, and are no more than there may be.
    func judgeDatabase(of device: SimulatedDevice) throws {
        guard let name = device.traits.database, let database = databases[name],
            let rows = database.spaces[Self.space]
        else { return }
        if let finding = rows.findings.first {
            throw Violation(.unsound, "the database \(name) is not sound: \(finding)")
        }
        let count = rows.head.recordCount
        if let most = database.recordCountMax, count > max(most, database.judgedRecordCount) {
            throw Violation(
                .unbounded, "the database \(name) has \(count) records, and \(most) are allowed")
        }
        database.judgedRecordCount = count
        try judgeNumbers(rows, of: database)
    }

    /// Whether a number of an epoch names one thing for ever, also in what a database has lost.
    private func judgeNumbers(_ rows: DatabaseSpace, of database: SimulatedDatabase) throws {
        func judge(_ number: UInt64, _ hash: UInt128) throws {
            let epoch = rows.epochs.last { $0.firstSequence < number }?.id ?? EpochID(value: 0)
            let key = SimulatedDatabase.Number(
                relay: rows.head.relay, epoch: epoch, sequence: number)
            let before = database.named.updateValue(hash, forKey: key)
            if let before, before != hash {
                throw Violation(
                    .unsound,
                    "the database \(database.name) has given number \(number) twice in one epoch")
            }
        }
        for version in rows.versions {
            try judge(version.sequence, VersionMark(of: version.change).hash)
            if let number = version.unreadable {
                try judge(number, ~VersionMark(of: version.change).hash)
            }
        }
        for row in rows.rows { try judge(row.sequence, row.row.hash) }
    }

    /// Whether everyone who is connected to a relay on a database has got what is in it, if nothing has kept that from them.
    func judgeSubscribers() throws {
        guard !databases.isEmpty, options.looksAfterEachEvent else { return }
        for link in linksInOrder where link.isLive {
            guard let host = relayHost(of: link), let relay = host.relay,
                let caller = link.ends.lazy.map({ self.devices[$0.deviceIndex] }).first(where: {
                    !$0.isRelay
                }),
                let store = caller.store, isAttentive(link, caller, host, relay),
                try !isHolding(store)
            else { continue }
            count("subscribers judged")
            try judge(caller, store, connectedTo: host, relay, by: link)
        }
    }

    /// Whether nothing keeps a device from hearing of what comes into the database of the relay that it is connected to.
    private func isAttentive(
        _ link: SimulatedLink, _ caller: SimulatedDevice, _ host: SimulatedDevice,
        _ relay: SimulatedRelay
    ) -> Bool {
        let isWhole = link.ends.allSatisfy {
            $0.end == nil && !$0.isDeaf && $0.held.isEmpty && !$0.isHangUpHeld
        }
        return isWhole && !link.isBroken && !link.isHalfOpen && !link.isCorrupted
            && !link.hasUnknown && !link.hasLies && link.byteCountLeft == nil
            && network.isOpen(caller.index, host.index)
            && network.isOpen(host.index, caller.index)
            && relay.sharedStore != nil && relay.life == link.relayLife
            && link.databaseOrigin == databaseOrigin(of: host) && !relay.process.isPaused
            && relay.process.lateThrough < now && !caller.isTroubled && !caller.hasWrongBit
            && caller.space == Self.space
    }

    /// Whether a device keeps back what it gets.
    private func isHolding(_ store: Store) throws -> Bool {
        try !store.heldDeletes().isEmpty || store.summary().deferredCount > 0
    }

    private func judge(
        _ caller: SimulatedDevice, _ store: Store, connectedTo host: SimulatedDevice,
        _ relay: SimulatedRelay, by link: SimulatedLink
    ) throws {
        guard let view = try relay.node?.store(of: Self.space) else { return }
        guard secret(of: view) == link.secret else {
            if relay.process.lastLook >= now { return }
            throw Violation(
                .stuck,
                "\(caller.name) is connected to \(host.name), and is not told of the secret that another relay was brought"
            )
        }
        for item in itemNames.keys.sorted() {
            let versions = try view.versions(of: relayName(of: item, in: view))
            let clock = try store.record(item)?.record.clock ?? VersionVector()
            for version in versions where !version.isDeferred && !clock.covers(version.clock) {
                throw Violation(
                    .stuck,
                    "\(caller.name) is connected to \(host.name), and does not get record \(item), which another relay has taken"
                )
            }
        }
    }
}
