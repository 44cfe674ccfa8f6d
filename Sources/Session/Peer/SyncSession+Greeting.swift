import Core

/// The beginning: whether both sides belong together, and whether either has a clone suspicion.
extension SyncSession {
    mutating func open() {
        core.open()
        switch role {
        case .initiator:
            phase = .composing
            core.ask(.greet(peer: guess))
        case .responder: phase = .listening
        }
    }

    /// Receives the store's answer to one of the two questions for a greeting.
    mutating func receiveGreeting(_ greeting: Greeting) throws(PeerError) {
        switch phase {
        case .composing:
            note(greeting)
            phase = .awaitingReply(greeting)
            var first = hello(greeting, peerCheckpoint: greeting.peerCheckpoint)
            first.reached = greeting.sequence
            core.send(.hello(first))
        case .answering(let peer):
            note(greeting)
            try answer(peer, greeting)
        case .meeting(var parties, let check) where isSendingCheckpoint:
            try peerCheckpoint(greeting, &parties)
            phase = .meeting(parties, check)
        case .syncing(var parties) where isSendingCheckpoint:
            try peerCheckpoint(greeting, &parties)
            phase = .syncing(parties)
        case .idle, .awaitingReply, .listening, .meeting, .syncing:
            preconditionFailure("a greeting that was not asked for")
        }
    }

    private mutating func note(_ greeting: Greeting) {
        view.stated = greeting.stateSummary
        view.statedSum = greeting.sum
        view.statedSequence = greeting.summarySequence
        view.incarnations[greeting.replica] = greeting.incarnation
    }

    private mutating func answer(_ peer: Hello, _ own: Greeting) throws(PeerError) {
        if peer.space == SpaceID(value: 0) {
            // A device without a store asks which space this is, in order to join it.
            core.send(.hello(hello(own, peerCheckpoint: nil)))
            core.report.isQuestion = true
            core.end(.finished)
            return
        }
        try requireOtherOfSameSpace(peer, own)
        guard let summary = peer.summary else { throw .malformed("a first hello without digests") }
        let parties = Parties(
            own: own, peer: peer, peerSummary: summary, areEqualByHello: false)
        let mayBeLastWord = summary == own.summary && peer.reached != nil
        try meet(parties, holdsAnswer: mayBeLastWord)
        if case .meeting(_, .examining(_, isAnswerHeld: true)) = phase { return }
        sendAnswer(parties)
        if responderBegins(parties) { beginComparison() }
    }

    /// The responder's hello: the state summary only if it is another, and the end if all is said by that.
    private mutating func sendAnswer(_ parties: Parties) {
        let own = parties.own
        var answer = hello(own, peerCheckpoint: Self.addressed(own.peerCheckpoint))
        if parties.peerSummary == own.summary {
            answer.summary = nil
            // Nothing is listed to equals.
            answer.peerCheckpoint = Self.addressed(own.peerCheckpoint, withSummary: false)
        }
        if parties.areEqualByHello { answer.reached = own.sequence }
        core.send(.hello(answer))
    }

    private func hello(_ greeting: Greeting, peerCheckpoint: PeerCheckpoint?) -> Hello {
        Hello(
            space: greeting.space, policy: greeting.policy, replica: greeting.replica,
            incarnation: greeting.incarnation, summary: greeting.summary,
            features: core.isLive ? .live : [], peerCheckpoint: peerCheckpoint,
            counter: greeting.counter, summarySequence: greeting.summarySequence)
    }

    /// A peer checkpoint for the very peer whose hello was read; an empty one if there is none.
    private static func addressed(
        _ peerCheckpoint: PeerCheckpoint?, withSummary: Bool = true
    ) -> PeerCheckpoint {
        PeerCheckpoint(
            peer: nil, checkpoint: peerCheckpoint?.checkpoint,
            counter: peerCheckpoint?.counter ?? 0,
            epoch: peerCheckpoint?.epoch, summary: withSummary ? peerCheckpoint?.summary : nil)
    }

    /// Receives a message before both hellos are known: none but the peer's hello has its turn.
    mutating func receiveFirst(_ message: Message) throws(PeerError) {
        switch (message, phase) {
        case (.hello(let hello), .awaitingReply(let own)):
            try requireVersion(hello)
            try requireOtherOfSameSpace(hello, own)
            try meet(
                Parties(
                    own: own, peer: hello, peerSummary: hello.summary ?? own.summary,
                    areEqualByHello: hello.summary == nil && hello.reached != nil))
        case (.hello(let hello), .listening):
            try requireVersion(hello)
            guard hello.summary != nil else { throw .malformed("a first hello without digests") }
            phase = .answering(hello)
            core.ask(.greet(peer: hello.replica))
        default: throw .outOfOrder("message \(message.kind) in place of a hello")
        }
    }

    private mutating func requireVersion(_ hello: Hello) throws(PeerError) {
        guard hello.versionMin <= WireLimits.versionMax, hello.versionMax >= WireLimits.versionMin
        else { throw .incompatible(hello) }
        core.report.peer = hello.replica
    }

    private mutating func requireOtherOfSameSpace(
        _ peer: Hello, _ own: Greeting
    ) throws(PeerError) {
        if peer.space != own.space { throw .foreignSpace(own, peer) }
        if peer.policy != own.policy { throw .rulesDiffer(own, peer) }
        if peer.replica == own.replica {
            core.ask(
                .suspectIdentity(
                    .sameReplica(incarnation: peer.incarnation, counter: peer.counter)))
            throw .sameReplica(own, peer)
        }
    }

    /// Both hellos are known.
    private mutating func meet(
        _ parties: Parties, holdsAnswer: Bool = false
    ) throws(PeerError) {
        let (own, peer) = (parties.own, parties.peer)
        core.meet()
        core.awaitGreeting()
        isLiveOnBothSides = core.isLive && peer.features.contains(.live)
        inbound.incarnations[peer.replica] = peer.incarnation
        try limits.checkSummary(
            count: Int(clamping: parties.peerSummary.count), beside: statedCount)
        if role == .initiator, guess != peer.replica || own.peerCheckpoint == nil {
            isSendingCheckpoint = true
            core.ask(.greet(peer: peer.replica))
        }
        if let found = peer.peerCheckpoint, found.peer == nil || found.peer == own.replica {
            examine(found, parties, holdsAnswer: holdsAnswer)
        } else {
            phase = .meeting(parties, .awaitingPeerCheckpoint)
        }
        compare(parties)
    }

    /// Tells a peer that could not be guessed this side's memory of it.
    private mutating func peerCheckpoint(
        _ greeting: Greeting, _ parties: inout Parties
    ) throws(PeerError) {
        isSendingCheckpoint = false
        if greeting.replica != parties.own.replica { throw .newIdentity(parties.own.replica) }
        parties.own.isRepairDue = greeting.isRepairDue
        core.send(.peerCheckpoint(Self.addressed(greeting.peerCheckpoint)))
        beginComparison()
    }

    mutating func receivePeerCheckpoint(_ found: PeerCheckpoint) throws(PeerError) {
        guard case .meeting(let parties, .awaitingPeerCheckpoint) = phase else {
            throw .outOfOrder("a second peer checkpoint")
        }
        guard found.peer == nil || found.peer == parties.own.replica else {
            throw .outOfOrder("a peer checkpoint for somebody else")
        }
        toldSummary = found.summary
        examine(found, parties, holdsAnswer: false)
    }

    private mutating func examine(_ found: PeerCheckpoint, _ parties: Parties, holdsAnswer: Bool) {
        phase = .meeting(parties, .examining(found, isAnswerHeld: holdsAnswer))
        core.ask(.examine(found))
    }

    mutating func receiveExamination(_ isSuspicious: Bool) throws(PeerError) {
        switch phase {
        case .meeting(var parties, .examining(let peerCheckpoint, let isAnswerHeld)):
            if isAnswerHeld {
                parties.areEqualByHello = !isSuspicious
                sendAnswer(parties)
            }
            guard isSuspicious else { return becomeCertain(parties, peerCheckpoint) }
            phase = .meeting(parties, .awaitingHistory(peerCheckpoint))
            core.awaitGreeting()
            core.send(.askHistory)
        case .meeting(let parties, .resolving(let peerCheckpoint)):
            if isSuspicious { throw .newIdentity(parties.own.replica) }
            becomeCertain(parties, peerCheckpoint)
        default: preconditionFailure("nothing was to be examined")
        }
    }

    /// Answers the peer's question about its own history.
    mutating func recallHistory() throws(PeerError) {
        guard let parties, historyRequest == .none else {
            throw .outOfOrder("a second question for its history")
        }
        historyRequest = .recalling
        core.ask(.recallHistory(of: parties.peer.replica))
    }

    mutating func sendHistory(_ history: History) {
        precondition(historyRequest == .recalling, "a history that was not asked for")
        historyRequest = .answered
        core.send(.history(history))
    }

    mutating func receiveHistory(_ history: History) throws(PeerError) {
        guard case .meeting(let parties, .awaitingHistory(let peerCheckpoint)) = phase else {
            throw .outOfOrder("a history that was not asked for")
        }
        guard history.replica == parties.own.replica else {
            throw .outOfOrder("the history of somebody else")
        }
        phase = .meeting(parties, .resolving(peerCheckpoint))
        core.ask(.resolve(history))
    }

    // MARK: State summaries

    /// Compares the digests of both state summaries; if these differ, one side begins to compare them by lists or
    /// ranges.
    private mutating func compare(_ parties: Parties) {
        let (own, peer) = (parties.own, parties.peerSummary)
        if own.sum == peer.sum, own.summary.count == peer.count {
            let stateSummary = StateSummary(sorted: own.stateSummary.entries, digest: peer.digest)
            inbound.open = [:]
            return learn(stateSummary, parties)
        }
        lists = SummaryLists(of: own.stateSummary, sum: own.sum, with: peer, own.hash)
        toldSummary = addressed(in: parties)?.summary
        if role == .initiator, !isSendingCheckpoint, !responderBegins(parties) {
            beginComparison()
        }
    }

    /// The peer's memory of this side in its hello; nil if that is of another replica, or not there.
    private func addressed(in parties: Parties) -> PeerCheckpoint? {
        let found = parties.peer.peerCheckpoint
        return found?.peer == nil || found?.peer == parties.own.replica ? found : nil
    }

    /// Whether the responder may list first, behind its hello: the initiator's hello was meant for it, and one side at
    /// least has adopted the other's state summary before.
    private func responderBegins(_ parties: Parties) -> Bool {
        if knowsPeer { return false }
        switch role {
        case .initiator:
            guard let said = parties.own.peerCheckpoint, guess == parties.peer.replica else {
                return false
            }
            return said.summary != nil || addressed(in: parties)?.summary != nil
        case .responder:
            guard let found = addressed(in: parties) else { return false }
            return found.summary != nil || parties.own.peerCheckpoint?.summary != nil
        }
    }

    /// Takes this side's turn: with a list, if the peer's summary checkpoint is known, else with ranges.
    private mutating func beginComparison() {
        guard !knowsPeer else { return }
        guard let toldSummary else { return compareRanges(nil) }
        isListing = true
        core.ask(.listMoved(since: toldSummary))
    }

    /// Compares range by range, and begins with that: all ids, or those that are in no list.
    private mutating func compareRanges(_ rest: SummaryComparison?) {
        guard let parties else { preconditionFailure("a comparison before the hellos") }
        if rest == nil { lists = nil }
        var comparison = rest ?? wholeComparison(parties)
        for page in comparison.begin() { core.send(.summaryRanges(page)) }
        self.comparison = comparison
    }

    private func wholeComparison(_ parties: Parties) -> SummaryComparison {
        SummaryComparison(
            of: parties.own.stateSummary, with: parties.peerSummary, parties.own.hash)
    }

    /// Receives the store's answer to `listMoved`: this side's list leaves, or ranges if there is none.
    mutating func tellList(_ moved: [ReplicaID]?) {
        isListing = false
        guard let moved else { return compareRanges(nil) }
        guard let list = lists?.tell(moved) else {
            preconditionFailure("a list of a state summary that was not asked for")
        }
        core.send(.summaryList(list))
        endLists()
    }

    mutating func receiveList(_ list: SummaryList) throws(PeerError) {
        // This side begins once it has told its memory of the peer: a list before that is nobody's turn.
        guard !knowsPeer, !isListing, !isSendingCheckpoint, comparison == nil,
            let wasUntouched = lists?.isUntouched
        else {
            throw .outOfOrder("a list of a state summary that is known or not awaited")
        }
        if let answer = try lists?.receive(list) { core.send(.summaryList(answer)) }
        if core.awaitsGreeting { core.awaitGreeting() }
        if wasUntouched { beginComparison() } else { endLists() }
    }

    /// Goes on once the lists have shown what they can.
    private mutating func endLists() {
        switch lists?.outcome {
        case nil: return
        case .known(let stateSummary, let open):
            lists = nil
            inbound.open = [:]
            for entry in open { inbound.open?[entry.replica] = entry }
            learnAndSync(stateSummary)
        case .restDiffers(let rest):
            if lists?.isFirst == true { compareRanges(rest) } else { comparison = rest }
        }
    }

    /// Refuses a message that has no turn before the peer's state summary is known.
    func requireGreeting(_ message: Message) throws(PeerError) {
        switch message {
        case .hello, .peerCheckpoint, .askHistory, .history, .summaryList, .summaryRanges: return
        default:
            throw .outOfOrder("message \(message.kind) before the state summaries are compared")
        }
    }

    mutating func receiveRanges(_ ranges: SummaryRanges) throws(PeerError) {
        guard !knowsPeer, let parties else {
            throw .outOfOrder("ranges of a state summary that is known")
        }
        if comparison == nil {
            // The side whose turn it is has no list.
            guard !isListing, !isSendingCheckpoint, let lists,
                lists.isUntouched || lists.awaitsReply
            else {
                throw .outOfOrder("ranges in place of a list of a state summary")
            }
            self.lists = nil
            comparison = wholeComparison(parties)
        }
        let pages = try comparison?.receive(ranges) ?? []
        for page in pages { core.send(.summaryRanges(page)) }
        if core.awaitsGreeting { core.awaitGreeting() }
        guard let found = comparison?.result else { return }
        let stateSummary = lists?.united(with: found) ?? found
        (comparison, lists) = (nil, nil)
        learnAndSync(stateSummary)
    }

    private mutating func learnAndSync(_ stateSummary: StateSummary) {
        guard let parties else { preconditionFailure("a state summary before the hellos") }
        learn(stateSummary, parties)
        if case .meeting(let parties, .certain(let peerCheckpoint)) = phase {
            beginSync(parties, peerCheckpoint)
        }
    }

    /// The peer's state summary as of its hello is known.
    private mutating func learn(_ stateSummary: StateSummary, _ parties: Parties) {
        knowsPeer = true
        inbound.stateSummary = stateSummary
        inbound.stateSummarySum = parties.peerSummary.sum
        inbound.summarySequence = parties.peer.summarySequence
    }

    /// This side is sure of itself; it syncs once it knows the peer's state summary.
    private mutating func becomeCertain(_ parties: Parties, _ peerCheckpoint: PeerCheckpoint) {
        guard knowsPeer else {
            phase = .meeting(parties, .certain(peerCheckpoint))
            return core.awaitGreeting()
        }
        beginSync(parties, peerCheckpoint)
    }

    /// Both sides are sure of themselves; the records that the peer lacks may go out.
    private mutating func beginSync(_ parties: Parties, _ peerCheckpoint: PeerCheckpoint) {
        phase = .syncing(parties)
        core.endGreeting()
        let (own, peer) = (parties.own, parties.peer)
        view.has = Self.held(by: inbound.stateSummary, beside: own)
        let end = Checkpoint(epoch: own.incarnation.epoch, sequence: own.sequence)
        if parties.areEqualByHello, let reached = peer.reached {
            view.owesEnd = false
            outbound.supply = .caughtUp
            outbound.start = .sequence(own.sequence)
            outbound.reached = end
            let through = Checkpoint(epoch: peer.incarnation.epoch, sequence: reached)
            inbound.appendEnd(through: through)
        } else if view.has.coversHello(own.stateSummary.seen) {
            // The peer has it all: the greeting found the end, without a look at the records.
            outbound.prepare(
                [], Reading(through: end, summarySequence: own.summarySequence),
                stateSummary: own.stateSummary)
        } else {
            let checkpoint = peerCheckpoint.checkpoint
            outbound.start = .checkpoint(checkpoint)
            outbound.reached = checkpoint ?? Checkpoint(epoch: own.incarnation.epoch, sequence: 0)
        }
        // The peer may have asked for it while this side was not sure of itself.
        if !parties.areEqualByHello, own.isRepairDue || fullExchange.peerPart != .none {
            startFullExchange()
        }
    }

    /// The peer's knowledge, and of ids with equal checksums this side's: the same records have it there.
    private static func held(by peer: StateSummary, beside own: Greeting) -> PeerHoldings {
        // A deferred change counts in a checksum as if the record were there as it says.
        if peer.digest.clocks != nil || own.stateSummary.digest.clocks != nil {
            return PeerHoldings(peer.knowledge)
        }
        let equal = own.stateSummary.entries(equalIn: peer).map {
            VersionVector.Entry(replica: $0.replica, counter: $0.seen)
        }
        return PeerHoldings(
            peer.knowledge, equal: VersionVector(unsorted: equal), upTo: own.sequence)
    }
}
