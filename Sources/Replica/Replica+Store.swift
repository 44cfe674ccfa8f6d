import Core
import Session
import Storage

/// The questions of sessions, put to the store in the store's own types.
extension Replica {
    /// Has the store do as a session asks; gives its answer.
    ///
    /// - Parameter peer: the bytes that name the peer's device; nil for a relay, by which anybody may speak.
    func ask(_ effect: SessionEffect, of peer: [UInt8]? = nil) throws(StoreFault) -> SessionEvent? {
        switch effect {
        case .greet(let peer): return .greeting(try store.greeting(to: peer))
        case .examine(let peerCheckpoint):
            let isSuspicious = try store.isSuspicious(
                counter: peerCheckpoint.counter, epoch: peerCheckpoint.epoch)
            return .examined(isSuspicious: isSuspicious)
        case .listMoved(let summary): return .moved(try store.moved(since: summary))
        case .dropCheckpoints(let peer):
            try store.dropCheckpoints(of: peer)
            return nil
        case .recallHistory(let peer): return .history(try store.history(of: peer))
        case .resolve(let history):
            return .examined(isSuspicious: try store.resolve(history, toldBy: peer))
        case .suspectIdentity(.sameReplica(let incarnation, let counter)):
            // A device that calls itself speaks in an incarnation of its own, which is no suspicion: it may be an
            // earlier one than the present if something was written since.
            let isItself = try store.isOwn(incarnation.epoch)
            if isItself, try !store.isSuspicious(counter: counter, epoch: incarnation.epoch) {
                return nil
            }
            let own = store.replica
            let history = History(
                replica: own, counter: incarnation.counter, incarnations: [incarnation])
            _ = try store.resolve(history, isCertain: true, toldBy: peer)
            return nil
        case .read(let request): return .read(try store.read(request))
        case .integrate(let request): return .integrated(try store.integrate(request))
        case .join(let request):
            let answer = try store.join(request)
            // No record changed, but this replica's own state summary did: the others are to hear it.
            if answer.hasLearned { noteLearning() }
            return .joined(answer)
        case .send, .wake, .report, .close, .judge, .recordUnreadable, .findDueRows, .noteUploaded,
            .noteFetched, .leaveRekeyMessages, .applyRekeyMessage:
            return nil
        }
    }
}

/// The store's doors, opened with a session's requests.
extension Store {
    fileprivate func read(_ request: ReadRequest) throws(StoreFault) -> Reading {
        try read(
            from: request.start, peerHas: request.peerHas, wanted: request.wanted,
            isFull: request.isFull, byteCountMax: request.byteCountMax)
    }

    fileprivate func integrate(_ request: IntegrateRequest) throws(StoreFault) -> Integration {
        var answer = try integrate(
            request.changes, from: request.peer, checkpoint: request.checkpoint,
            incarnations: request.incarnations, isRepair: request.isRepair,
            startsSession: request.startsSession, relayed: request.relayed,
            mergesUnheld: request.mergesUnheld)
        answer.appRecordCount = request.changes.count { !$0.name.isOfDevice }
        return answer
    }

    fileprivate func join(_ request: JoinRequest) throws(StoreFault) -> Joining {
        guard let open = request.open else {
            return try join(
                request.stateSummary, from: request.peer, through: request.through,
                summarySequence: request.summarySequence)
        }
        return try join(
            open: open, of: request.stateSummary, sum: request.sum, from: request.peer,
            through: request.through, summarySequence: request.summarySequence)
    }
}

/// The questions of a session with a relay: everything is sealed on the way out and opened on the way in.
extension Replica {
    /// Has the store do as a session with a relay asks; gives its answer.
    func ask(
        _ effect: SessionEffect, of id: ConversationID, in conversation: Conversation
    ) throws(StoreFault) -> SessionEvent? {
        let seal = conversation.seal
        switch effect {
        case .read(let request):
            var reading = try store.read(request)
            reading.names = reading.changes.map(\.name)
            do throws(SealFailure) {
                for index in reading.wanted.indices {
                    reading.wanted[index] = try RelayVersion.of(reading.wanted[index], with: seal)
                }
                for index in reading.changes.indices {
                    reading.changes[index] = try RelayVersion.of(reading.changes[index], with: seal)
                }
            } catch {
                throw .cannotSeal(detail: error.reason)
            }
            return .read(reading)
        case .integrate(let request): return try integrate(request, opening: seal)
        case .judge(let request):
            return .judged(try judge(request, opening: seal))
        case .recordUnreadable(let request):
            return .unreadableRecorded(try settle(request, in: conversation))
        case .findDueRows(let request):
            return try findDueRows(request, sealing: seal)
        case .noteUploaded(let through, let rows, let relay):
            // On a full disk it is uploaded once more later: no reason to end a session that did its work.
            try? store.noteUploaded(through: through, rows, to: relay)
            return nil
        case .noteFetched(let through, let lacking, let relay):
            store.noteFetched(through: through, lacking: lacking, from: relay)
            return nil
        case .leaveRekeyMessages(let known, let isCaughtUp):
            try leaveRekeyMessages(of: id, in: conversation, known, isCaughtUp: isCaughtUp)
            return nil
        case .applyRekeyMessage(let rekeyMessage):
            if let changes = conversation.rekeyMailbox?.open(rekeyMessage) {
                try store.applyRekeyMessage(changes)
            }
            return nil
        default: return try ask(effect)
        }
    }

    /// Sends the rekey messages that the relay lacks, or has in an older form.
    ///
    /// A device that has not read all may know less than the one that left the relay's rekey message.
    private func leaveRekeyMessages(
        of id: ConversationID, in conversation: Conversation, _ known: [RekeyMessage.Mark],
        isCaughtUp: Bool
    ) throws(StoreFault) {
        guard let rekeyMailbox = conversation.rekeyMailbox else { return }
        let sequence = try store.deviceSequence()
        if conversation.rekeyMessageSequence == sequence { return }
        var hashes =
            conversation.rekeyMessageHashes
            ?? Dictionary(known.map { ($0.verifier, $0.hash) }, uniquingKeysWith: { $1 })
        let rekeyMessages = try rekeyMailbox.rekeyMessages(from: store).filter { rekeyMessage in
            let known = hashes[rekeyMessage.mark.verifier]
            return known != rekeyMessage.mark.hash && (isCaughtUp || known == nil)
        }
        if !rekeyMessages.isEmpty { try store.leaveInRekeyMessages() }
        for rekeyMessage in rekeyMessages {
            hashes[rekeyMessage.mark.verifier] = rekeyMessage.mark.hash
            send(.rekeyMessage(rekeyMessage), to: id)
        }
        conversation.rekeyMessageHashes = hashes
        if isCaughtUp { conversation.rekeyMessageSequence = sequence }
    }

    /// Merges changes that came by way of a relay; those that no device of the space sealed are remembered as such.
    private func integrate(
        _ request: IntegrateRequest, opening seal: (any SpaceSeal)?
    ) throws(StoreFault) -> SessionEvent {
        var request = request
        let versions = request.changes
        request.changes = []
        for version in versions {
            if let change = RelayVersion.change(in: version, opening: seal) {
                request.changes.append(change)
                request.relayed.names.append(version.name)
            } else {
                request.relayed.unopened.append(version)
            }
        }
        try store.resolve(writesIn: request.changes)
        return .integrated(
            try store.integrate(request), unreadableCount: request.relayed.unopened.count)
    }

    /// Takes a relay's word on versions that a device could not open.
    ///
    /// Records of them that are here are uploaded again, but for those of which the relay has just the version that is
    /// here.
    private func settle(
        _ request: UnreadableRequest, in conversation: Conversation
    ) throws(StoreFault) -> UnreadableAnswer {
        var answer = UnreadableAnswer()
        let marks = Set(request.versions.marks)
        var names: Set<RecordName> = []
        try store.forEachChange(of: try records(named: marks, in: conversation)) {
            change throws(StoreFault) in
            let version: Change
            do throws(SealFailure) {
                version = try RelayVersion.of(change, with: conversation.seal)
            } catch {
                throw .cannotSeal(detail: error.reason)
            }
            if !marks.contains(VersionMark(of: version)) { names.insert(change.name) }
        }
        answer.uploadedAgainCount = names.count
        answer.isMismatched = try store.settleUnopened(
            request.versions, at: request.relay, uploadingAgain: names.sorted())
        return answer
    }

    /// The records here that a relay knows by the names in some marks.
    private func records(
        named marks: Set<VersionMark>, in conversation: Conversation
    ) throws(StoreFault) -> Set<RecordName> {
        if marks.isEmpty { return [] }
        do throws(SealFailure) {
            try relayNames.begin(with: conversation.seal)
        } catch {
            throw .cannotSeal(detail: error.reason)
        }
        // All names once, and after that those that came since: a message costs what is in it.
        let (names, through) = try store.recordNames(after: relayNames.through)
        do throws(SealFailure) {
            try relayNames.add(names, through: through, with: conversation.seal)
        } catch {
            throw .cannotSeal(detail: error.reason)
        }
        return Set(marks.compactMap { relayNames[$0.id] })
    }

    /// Finds what is to be stated of the store's summary, and seals it.
    private func findDueRows(
        _ request: DueRowsRequest, sealing seal: (any SpaceSeal)?
    ) throws(StoreFault) -> SessionEvent? {
        // The relay knows the speaker by the id of its relay hello. Under another one the session is about to end.
        guard store.replica == identity else { return nil }
        var due = try store.dueSummaryRows(
            request.stateSummary, since: request.earlier, withOthers: request.withOthers,
            at: request.relay)
        var rows: [SummaryRow] = []
        for (index, row) in due.enumerated() where row.isStated {
            let key = SummaryRow.Key(store.replica, about: row.content.about)
            var bytes = row.content.bytes
            if let seal {
                do throws(SealFailure) {
                    bytes = try seal.seal(bytes, ofRow: key, numbered: row.number)
                } catch {
                    throw .cannotSeal(detail: error.reason)
                }
            }
            let sent = SummaryRow(key, number: row.number, bytes: bytes)
            due[index].hash = sent.hash
            rows.append(sent)
        }
        return .dueRows(due, stated: rows)
    }

    /// Adopts what other devices state of themselves, after a look at what is known of this one.
    private func judge(
        _ request: JudgeRequest, opening seal: (any SpaceSeal)?
    ) throws(StoreFault) -> JudgeAnswer {
        var answer = JudgeAnswer()
        var heard: [HeardSummaryRow] = []
        for row in request.rows {
            let bytes =
                seal.map { $0.open(row.bytes, ofRow: row.key, numbered: row.number) } ?? row.bytes
            let content = bytes.flatMap {
                try? SummaryRowContent(decoding: $0, about: row.key.about)
            }
            if content == nil, row.key.replica != store.replica { answer.unreadableCount += 1 }
            // This device's own rows as well: it may have been set back since it stated them.
            if case .entry(let entry, let start, _) = content, try raisesSuspicion(entry, start) {
                return answer
            }
            heard.append(
                HeardSummaryRow(
                    key: row.key, number: row.number, hash: row.hash, content: content))
        }
        let found = try store.join(
            SummaryRowsRequest(
                relay: request.relay, through: request.through, rows: heard,
                rowSum: request.rowSum,
                isReadAnew: request.isReadAnew, startsOver: request.startsOver,
                isFromStart: request.isFromStart, isRunStart: request.isRunStart,
                isRunEnd: request.isRunEnd))
        answer.joining = found.joining
        answer.uploadingAgain = found.uploadingAgain
        answer.seen = found.seen
        if answer.joining.hasLearned { noteLearning() }
        let unopened = try store.unopened(at: request.relay, isSetBack: request.isSetBack)
        answer.unopenedCount = unopened.count
        answer.untold = unopened.untold
        return answer
    }

    /// Whether what is known of this device at a relay made it take a new id.
    private func raisesSuspicion(
        _ entry: StateSummaryEntry, _ incarnation: Incarnation?
    ) throws(StoreFault) -> Bool {
        let own = store.replica
        guard entry.replica == own else { return false }
        let epoch = incarnation.flatMap { $0.counter < entry.seen ? $0.epoch : nil }
        guard try store.isSuspicious(counter: entry.seen, epoch: epoch) else { return false }
        let history = History(
            replica: own, counter: entry.seen, incarnations: incarnation.map { [$0] } ?? [])
        return try store.resolve(history)
    }
}

extension PeerError {
    /// The error by which a peer hears of a fault of this store: paths and the like stay at home.
    init(_ fault: StoreFault) {
        let (reason, message, advice): (Reason?, String, String) =
            switch fault {
            case .diskFull:
                (
                    .diskFull, "the disk of a device is full",
                    "free some space on that device, then sync again"
                )
            case .busy: (.storeBusy, "the store of a device is busy", "sync again in a moment")
            case .corrupt:
                (
                    .damagedStore, "the store of a device is damaged",
                    "check and repair the store on that device"
                )
            case .readOnly:
                (
                    .readOnlyDisk, "the store of a device cannot be written",
                    "check its permissions on that device"
                )
            case .overLimit(let what, let max):
                (
                    nil, "at the store of a device \(what) would be over the limit of \(max)",
                    "look for a device of this space that makes replicas without end"
                )
            case .foreignOwnWrites:
                (
                    nil, "a device got writes under its own id that it never made",
                    "nothing is lost; sync again, and that device takes a new id"
                )
            default: (nil, "the store of a device failed", "look at that device's own message")
            }
        self.init(.store, reason: reason, message, side: .speaker, advice: advice)
    }
}
