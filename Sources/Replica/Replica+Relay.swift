import Core
import Session
import Storage

/// What a conversation with a relay asks of the store: everything is sealed on the way out and opened
/// on the way in.
extension Replica {
    /// Has the store do what a session with a relay asks; gives its answer.
    func ask(
        _ effect: SessionEffect, of id: ConversationID, in conversation: Conversation
    ) throws(StoreFault) -> SessionEvent? {
        let seal = conversation.seal
        switch effect {
        case .read:
            guard case .read(var answer)? = try ask(effect) else { return nil }
            if let seal {
                answer.wanted = try sealed(answer.wanted, with: seal)
                answer.changes = try sealed(answer.changes, with: seal)
            }
            return .read(answer)
        case .integrate(var request):
            var unreadableCount = 0
            if let seal {
                let opened = request.changes.compactMap { change in
                    seal.open(change.body, of: change.id, clock: change.clock).map {
                        Change(
                            id: change.id, clock: change.clock, body: $0,
                            isAside: change.isAside)
                    }
                }
                unreadableCount = request.changes.count - opened.count
                request.changes = opened
                if unreadableCount > 0 { request.checkpoint = nil }
            }
            return try integrate(request, unreadableCount)
        case .judge(let request):
            return .judged(try judge(request, opening: seal))
        case .declare(let statement, let through):
            // The relay knows the speaker by the id of its approach: under another one the statement
            // would open for nobody. The session is about to end.
            guard store.replica == identity else { return nil }
            let declaration = Declaration(
                statement: statement, openings: try store.newestOpenings())
            var bytes = declaration.bytes
            if let seal {
                do throws(SealFailure) {
                    bytes = try seal.seal(statement: bytes, of: store.replica)
                } catch {
                    throw .cannotSeal(detail: error.reason)
                }
            }
            send(.upload(Upload(through: through, statement: bytes)), to: id)
            return nil
        case .noteUploaded(let through, let relay):
            // On a full disk it is uploaded once more later: no reason to end a session that did its work.
            if store.replica == identity { try? store.noteUploaded(through: through, to: relay) }
            return nil
        case .noteFetched(let through, let lacking, let relay):
            if store.replica == identity {
                store.noteFetched(through: through, lacking: lacking, from: relay)
            }
            return nil
        case .leaveLetters(let known, let isCaughtUp):
            try leaveLetters(of: id, in: conversation, known, isCaughtUp: isCaughtUp)
            return nil
        case .takeLetter(let letter):
            if let changes = conversation.letterbox?.open(letter) {
                try store.takeLetter(changes)
            }
            return nil
        default: return try ask(effect)
        }
    }

    /// Sends the letters that the relay lacks, or has in an older form.
    ///
    /// Who has not read all may know less than who left the one that is there.
    private func leaveLetters(
        of id: ConversationID, in conversation: Conversation, _ known: [Letter.Mark],
        isCaughtUp: Bool
    ) throws(StoreFault) {
        guard let letterbox = conversation.letterbox else { return }
        let sequence = try store.deviceSequence()
        if conversation.letterSequence == sequence { return }
        var hashes =
            conversation.letterHashes
            ?? Dictionary(known.map { ($0.verifier, $0.hash) }, uniquingKeysWith: { $1 })
        let letters = try letterbox.letters(from: store).filter { letter in
            let known = hashes[letter.mark.verifier]
            let isRenewed = isCaughtUp && !PlantedFault.letterNotRenewed.isPlanted
            return known != letter.mark.hash && (isRenewed || known == nil)
        }
        if !letters.isEmpty { try store.leaveInLetters() }
        for letter in letters {
            hashes[letter.mark.verifier] = letter.mark.hash
            send(.letter(letter), to: id)
        }
        conversation.letterHashes = hashes
        if isCaughtUp { conversation.letterSequence = sequence }
    }

    private func sealed(
        _ changes: [Change], with seal: any SpaceSeal
    ) throws(StoreFault) -> [Change] {
        var result: [Change] = []
        result.reserveCapacity(changes.count)
        for change in changes {
            do throws(SealFailure) {
                let body = try seal.seal(change.body, of: change.id, clock: change.clock)
                result.append(
                    Change(
                        id: change.id, clock: change.clock, body: body, isAside: change.isAside))
            } catch {
                throw .cannotSeal(detail: error.reason)
            }
        }
        return result
    }

    /// Merges changes that came by way of a relay.
    private func integrate(
        _ request: IntegrateRequest, _ unreadableCount: Int
    ) throws(StoreFault) -> SessionEvent? {
        try store.settle(writesIn: request.changes)
        guard case .integrated(var answer)? = try ask(.integrate(request)) else { return nil }
        answer.unreadableCount = unreadableCount
        return .integrated(answer)
    }

    /// Takes over what other devices stated, after a look at what they remember of this one.
    private func judge(
        _ request: JudgeRequest, opening seal: (any SpaceSeal)?
    ) throws(StoreFault) -> JudgeAnswer {
        var answer = JudgeAnswer()
        var statements: [Statement] = []
        var openings: [(opening: ChangeBatch.Opening, counter: UInt64)] = []
        for notice in request.notices where notice.replica != store.replica {
            let bytes =
                seal.map { $0.open(statement: notice.bytes, of: notice.replica) } ?? notice.bytes
            guard let bytes, let declaration = try? Declaration(decoding: bytes) else {
                answer.unreadableCount += 1
                continue
            }
            if try doubts(declaration) { return answer }
            statements.append(declaration.statement)
            for opening in declaration.openings {
                guard let entry = declaration.statement.entry(of: opening.replica) else { continue }
                openings.append((opening, entry.seen))
            }
            answer.knowledge[notice.replica] = declaration.statement.knowledge
        }
        if PlantedFault.relayBelieved.isPlanted { try store.believe(statements) }
        let through = answer.unreadableCount == 0 ? request.through : nil
        let result = try store.join(
            statements, from: request.relay, through: through, openings: openings,
            isReadAnew: request.isReadAnew)
        if result.hasLearned { noteLearning() }
        answer.hasLearned = result.hasLearned
        answer.isMismatched = result.isMismatched
        answer.isWithheld = result.isWithheld
        answer.isDiverged = result.isDiverged
        answer.isRepairDue = result.isRepairDue
        return answer
    }

    /// Whether what a device remembers of this one made it take a new id.
    private func doubts(_ declaration: Declaration) throws(StoreFault) -> Bool {
        let own = store.replica
        guard let entry = declaration.statement.entry(of: own) else { return false }
        let opening = declaration.openings.first { $0.replica == own }?.start
        let epoch = opening.flatMap { $0.counter < entry.seen ? $0.epoch : nil }
        guard try store.isDoubtful(counter: entry.seen, epoch: epoch) else { return false }
        let history = History(
            replica: own, counter: entry.seen, openings: opening.map { [$0] } ?? [])
        return try store.settle(history)
    }
}
