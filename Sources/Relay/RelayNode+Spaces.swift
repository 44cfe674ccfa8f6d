import Core
import Session
import Storage

/// The files of the spaces: opened when they are needed, the least recently used closed.
extension RelayNode {
    /// The store of a space, opened if need be; nil if another file was put in its place meanwhile.
    func opened(_ space: RelaySpace) throws(StoreFault) -> RelayStore? {
        useCount += 1
        space.lastUse = useCount
        if let store = space.store { return store }
        makeRoom()
        guard
            let store = try RelayStore.open(
                space.id, in: options.folder, environment: environment, resuming: space.mark)
        else {
            replace(space)
            return nil
        }
        statistics.openSpaceCount += 1
        count(store)
        guard space.take(store) else {
            replace(space)
            return nil
        }
        return store
    }

    /// The store of a space, for who looks at it from outside; nil if there is none.
    package func store(of id: SpaceID) throws(StoreFault) -> RelayStore? {
        guard known.contains(id) else { return nil }
        return try opened(self.space(id))
    }

    /// The space, made known if it is not.
    func space(_ id: SpaceID) -> RelaySpace {
        if let space = spaces[id] { return space }
        let space = RelaySpace(id, mark: marks.removeValue(forKey: id))
        spaces[id] = space
        return space
    }

    /// Ends all conversations about a space whose file is another one than they know.
    private func replace(_ space: RelaySpace) {
        for id in space.sessions { add(id, .refused(.replaced(space.id))) }
        space.forget()
        if !environment.disk.exists(RelayStore.path(of: space.id, in: options.folder)) {
            known.remove(space.id)
            statistics.spaceCount = known.count
        }
        forgetIfIdle(space)
    }

    /// Ends all conversations about a space whose file fails; the other spaces go on.
    func fail(_ space: RelaySpace, _ fault: StoreFault) {
        note(.spaceFailed(space.id, fault))
        for id in space.sessions { add(id, .refused(.store(fault, space.id))) }
        discard(space)
    }

    /// Closes the file without regard to what it was.
    private func discard(_ space: RelaySpace) {
        if space.store != nil { statistics.openSpaceCount -= 1 }
        space.close()
        space.forget()
        forgetIfIdle(space)
    }

    /// Closes the files that were not needed for longest, so that one more may be opened.
    func makeRoom() {
        let open = spaces.values.filter { $0.store != nil }
        guard open.count >= max(1, options.limits.openSpaceCountMax) else { return }
        let excess = open.count - max(1, options.limits.openSpaceCountMax) + 1
        for space in open.sorted(by: { $0.lastUse < $1.lastUse }).prefix(excess) {
            space.close()
            statistics.openSpaceCount -= 1
            forgetIfIdle(space)
        }
    }

    /// Keeps of a space without conversations and without an open file only where that stood.
    func forgetIfIdle(_ space: RelaySpace) {
        guard space.sessions.isEmpty, space.store == nil, space.queue.isEmpty else { return }
        marks[space.id] = space.mark
        spaces[space.id] = nil
    }

    /// Brings the sums of the statistics up to date.
    func count(_ store: RelayStore) {
        let before = counted[store.space]
        statistics.storedByteCount += store.byteCount - (before?.byteCount ?? 0)
        statistics.storedVersionCount += store.versionCount - (before?.versionCount ?? 0)
        statistics.storedRecordCount += store.recordCount - (before?.recordCount ?? 0)
        counted[store.space] = (store.byteCount, store.versionCount, store.recordCount)
    }
}
