import Core
import Session
import Storage

/// The spaces about which devices speak.
extension RelayEngine {
    /// The space, made known if it is not.
    func space(_ id: SpaceID) -> RelaySpace {
        if let space = spaces[id] { return space }
        let space = RelaySpace(id)
        spaces[id] = space
        return space
    }

    /// Reads for a conversation; nil if the answer comes later, or the conversation is ended.
    func read(_ request: RelayReadRequest, of id: RelayServerSessionID) -> RelayServerSessionEvent?
    {
        guard let space = conversations[id]?.space.flatMap({ spaces[$0] }), let key = space.key
        else { preconditionFailure("only who was let into a space reads") }
        switch space.plan(request, of: key, for: id) {
        case .known(let delivery): return .read(delivery)
        case .joined: return nil
        case .asked(let reading):
            let start = stages.now()
            let result = ask { [store] then in
                store.read(reading.name.request, of: key, then: then)
            } later: { (engine, result: Result<RelayReading, RelayStoreFault>) in
                engine.stages.end(.reading, since: start)
                guard let delivery = engine.hear(result, of: reading, in: space) else { return }
                for id in reading.sessions { engine.add(id, .read(delivery)) }
            }
            guard let result else { return nil }
            stages.end(.reading, since: start)
            return hear(result, of: reading, in: space).map { .read($0) }
        }
    }

    /// Takes what was read; nil if it could not be, and those who wait for it are told.
    private func hear(
        _ result: Result<RelayReading, RelayStoreFault>, of asked: RelaySpaceReading,
        in space: RelaySpace
    ) -> RelayDelivery? {
        space.end(asked)
        defer { forgetIfIdle(space) }
        switch result {
        case .success(let reading):
            let delivery = space.deliver(reading, to: asked)
            boundSharing(space)
            return delivery
        // The conversations of an earlier state were told of its end.
        case .failure(.replaced): if asked.name.key == space.key { end(space, .replaced(space.id)) }
        case .failure(.failed(let fault)): fail(space, fault, of: asked.sessions)
        }
        return nil
    }

    /// Keeps readings for many of no more spaces than may be open; of more the oldest go.
    func boundSharing(_ space: RelaySpace) {
        guard space.isSharing, !sharing.contains(space.id) else { return }
        sharing.append(space.id)
        guard sharing.count > max(1, options.limits.openSpaceCountMax) else { return }
        spaces[sharing.removeFirst()]?.forgetShared()
    }

    /// Ends all conversations about a space, and drops their waiting items.
    func end(_ space: RelaySpace, _ refusal: RelayRefusal) {
        queuedByteCount -= space.queue.reduce(0) { $0 + $1.item.byteCount }
        space.queue = []
        waiting.removeAll { $0 == space.id }
        space.forgetShared()
        for id in space.sessions { add(id, .refused(refusal)) }
        forgetIfIdle(space)
    }

    /// Ends all conversations about a space whose store fails; the other spaces go on.
    ///
    /// A disk that cannot be written ends only those that asked for what it could not do: the others read on.
    func fail(_ space: RelaySpace, _ fault: StoreFault, of ids: [RelayServerSessionID]) {
        note(.spaceFailed(space.id, fault))
        for id in fault.leavesReading ? ids : space.sessions {
            add(id, .refused(.store(fault, space.id)))
        }
        if fault.leavesReading { return }
        space.forgetShared()
        store.forget(space.id)
        forgetIfIdle(space)
    }

    /// Forgets a space without conversations for which nothing waits.
    func forgetIfIdle(_ space: RelaySpace) {
        guard space.isIdle else { return }
        spaces[space.id] = nil
        sharing.removeAll { $0 == space.id }
    }

    // MARK: A look from outside

    /// A space as the relay keeps it now; nil if there is none.
    package func store(of space: SpaceID) throws(StoreFault) -> RelaySpaceView? {
        try store.head(of: space).map { RelaySpaceView(head: $0, store: store) }
    }
}
