import Core

/// The beginning: who is who, whether they belong together, and whether either doubts who it is.
extension SyncSession {
    mutating func open() {
        precondition(phase == .idle, "a session is opened once")
        lastSent = now
        lastHeard = now
        greetingDeadline = now.advanced(byMilliseconds: limits.greetingTimeoutMilliseconds)
        switch role {
        case .initiator:
            phase = .composing
            effects.append(.greet(peer: guess))
        case .responder: phase = .listening
        }
    }

    mutating func takeGreeting(_ greeting: Greeting) {
        if isRecollecting {
            recollect(greeting)
            return
        }
        precondition(phase == .composing, "a greeting that was not asked for")
        own = greeting
        outbound.stated = greeting.statement
        outbound.openings[greeting.replica] = greeting.opening
        switch role {
        case .initiator:
            phase = .listening
            var first = hello(greeting, recollection: greeting.recollection)
            first.reached = greeting.sequence
            send(.hello(first))
        case .responder:
            guard let peer else { preconditionFailure("a responder composes for a peer") }
            if peer.space == SpaceID(value: 0) {
                // Somebody without a store asks which space this is, in order to join it.
                send(.hello(hello(greeting, recollection: nil)))
                end(.finished)
                return
            }
            if refuse(peer, greeting) { return }
            meet(peer)
            isAnswerHeld =
                peer.statement == greeting.statement && peer.reached != nil
                && doubt == .examining
            if !isAnswerHeld { sendAnswer() }
        }
    }

    /// The responder's hello: the statement only if it is another, and the end if all is said by that.
    private mutating func sendAnswer() {
        guard let own else { preconditionFailure("an answer before the greeting") }
        var answer = hello(own, recollection: Self.addressed(own.recollection))
        if peer?.statement == own.statement { answer.statement = nil }
        if isSettledByHello { answer.reached = own.sequence }
        send(.hello(answer))
    }

    private func hello(_ greeting: Greeting, recollection: Recollection?) -> Hello {
        Hello(
            space: greeting.space, policy: greeting.policy, replica: greeting.replica,
            opening: greeting.opening, statement: greeting.statement,
            features: isLive ? .live : [], recollection: recollection)
    }

    /// A recollection for the very peer whose hello was read; an empty one if there is none.
    private static func addressed(_ recollection: Recollection?) -> Recollection {
        Recollection(
            peer: nil, checkpoint: recollection?.checkpoint, counter: recollection?.counter ?? 0,
            epoch: recollection?.epoch)
    }

    mutating func hearHello(_ hello: Hello) {
        guard hello.versionMin <= WireLimits.versionMax, hello.versionMax >= WireLimits.versionMin
        else {
            fail(.incompatible(hello))
            return
        }
        var hello = hello
        report.peer = hello.replica
        switch role {
        case .initiator:
            guard let own else {
                preconditionFailure("an initiator has composed before it listens")
            }
            if refuse(hello, own) { return }
            isSettledByHello = hello.statement == nil && hello.reached != nil
            hello.statement = hello.statement ?? own.statement
            meet(hello)
        case .responder:
            guard hello.statement != nil else {
                fail(.malformed("a first hello without a statement"))
                return
            }
            peer = hello
            phase = .composing
            effects.append(.greet(peer: hello.replica))
        }
    }

    /// Ends the session if the peer is none to sync with.
    private mutating func refuse(_ peer: Hello, _ own: Greeting) -> Bool {
        if peer.space != own.space {
            fail(.foreignSpace(own, peer))
        } else if peer.policy != own.policy {
            fail(.rulesDiffer(own, peer))
        } else if peer.replica == own.replica {
            let counter = peer.statement?.entry(of: peer.replica)?.counter ?? 0
            effects.append(
                .doubtIdentity(.sameReplica(opening: peer.opening, counter: counter)))
            fail(.sameReplica(own, peer))
        } else {
            return false
        }
        return true
    }

    /// Both hellos are known.
    private mutating func meet(_ peer: Hello) {
        guard let own, let statement = peer.statement else {
            preconditionFailure("whoever meets has composed, and knows what the peer has")
        }
        self.peer = peer
        phase = .syncing
        inbound.statement = statement
        inbound.openings[peer.replica] = peer.opening
        greetingDeadline = now.advanced(byMilliseconds: limits.greetingTimeoutMilliseconds)
        if role == .initiator, guess != peer.replica || own.recollection == nil {
            isRecollecting = true
            effects.append(.greet(peer: peer.replica))
        }
        if let found = peer.recollection, found.peer == nil || found.peer == own.replica {
            examine(found)
        }
    }

    /// Tells a peer that could not be guessed what is remembered of it.
    private mutating func recollect(_ greeting: Greeting) {
        isRecollecting = false
        if greeting.replica != own?.replica {
            fail(.newIdentity(own?.replica))
            return
        }
        own?.isRepairDue = greeting.isRepairDue
        send(.recollect(Self.addressed(greeting.recollection)))
    }

    mutating func hearRecollection(_ found: Recollection) {
        guard doubt == .awaitingRecollection else {
            fail(.outOfOrder("a second recollection"))
            return
        }
        guard found.peer == nil || found.peer == own?.replica else {
            fail(.outOfOrder("a recollection of somebody else"))
            return
        }
        examine(found)
    }

    private mutating func examine(_ found: Recollection) {
        recollection = found
        doubt = .examining
        effects.append(.examine(found))
    }

    mutating func takeExamined(_ isDoubtful: Bool) {
        if isAnswerHeld {
            isAnswerHeld = false
            isSettledByHello = !isDoubtful
            sendAnswer()
        }
        switch (doubt, isDoubtful) {
        case (.examining, false), (.settling, false): beginSending()
        case (.examining, true):
            doubt = .awaitingHistory
            greetingDeadline = now.advanced(byMilliseconds: limits.greetingTimeoutMilliseconds)
            send(.askHistory)
        case (.settling, true): fail(.newIdentity(own?.replica))
        case (.awaitingRecollection, _), (.awaitingHistory, _), (.none, _):
            preconditionFailure("nothing was to be examined")
        }
    }

    mutating func hearAskHistory() {
        guard let peer, !wasAskedHistory else {
            fail(.outOfOrder("a second question for its history"))
            return
        }
        wasAskedHistory = true
        isRecalling = true
        effects.append(.recallHistory(of: peer.replica))
    }

    mutating func hearHistory(_ history: History) {
        guard doubt == .awaitingHistory else {
            fail(.outOfOrder("a history that was not asked for"))
            return
        }
        guard history.replica == own?.replica else {
            fail(.outOfOrder("the history of somebody else"))
            return
        }
        doubt = .settling
        effects.append(.settle(history))
    }
}
