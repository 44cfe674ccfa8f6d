import Core

/// Openings of the store for writing, and what must be on the disk before a peer hears of it.
extension Store {
    /// Before the first write of this process: the stamp says "open", and there is an epoch to write in.
    ///
    /// The stamp comes first and names the epoch to come, so that a crash between the two raises no
    /// doubt. In a transaction, so that two processes never put their stamps in place at once.
    func openForWriting() throws(StoreFault) {
        if isUnsealed, !state.epochs.isEmpty { return }
        try transact { () throws(StoreFault) in
            try refresh()
            // What a killed process left open is a new opening as well, if nobody else has it open.
            let isNewOpening = wasOpenedAlone && !isUnsealed || !identity.isStampOpen
            let needsEpoch =
                state.epochs.isEmpty || (state.epochs.last?.isNamed == true && isNewOpening)
            guard needsEpoch else { return try rewriteStamp() }
            let next = EpochID(value: environment.drawBits() | 1)
            try rewriteStamp(next: next)
            try addEpoch(next)
        }
    }

    /// Begins an epoch in place of one that a killed process left open, before anybody else comes in:
    /// a second process could not tell that the first has not begun its own, and would write in it.
    ///
    /// Where nothing can be written, nobody will; it is then begun with the first write.
    func endKilledOpening() {
        guard identity.isStampOpen else { return }
        // It may have died between a commit and its flush: what is shown from here on stays.
        if options.durability == .full { try? connection.flushLog() }
        if state.epochs.last?.isNamed == true { try? openForWriting() }
    }

    /// Says in the stamp who the store is now, and that it is open.
    func rewriteStamp(next: EpochID? = nil) throws(StoreFault) {
        try identity.stamp(
            replica: state.replica, epoch: state.opening.epoch, next: next,
            counter: state.counter)
        isUnsealed = true
    }

    /// The most openings that are remembered.
    package static let epochCountMax = 256

    /// Begins a new epoch.
    func addEpoch(_ id: EpochID) throws(StoreFault) {
        let row = try connection.statement(
            """
            INSERT INTO epoch(id, first_sequence, first_counter, replica, named)
            VALUES (?, ?, ?, ?, 0) RETURNING number
            """)
        row.bind(1, id.value)
        row.bind(2, state.sequence)
        row.bind(3, state.counter)
        row.bind(4, Int64(state.ownPlace))
        guard try row.step() else { return }
        let number = row.int(0)
        row.reset()
        state.epochs.append(
            StoreState.Epoch(
                number: number, id: id, firstSequence: state.sequence,
                firstCounter: state.counter, isNamed: false))
        if state.epochs.count > Self.epochCountMax {
            let old = try connection.statement("DELETE FROM epoch WHERE number = ?")
            old.bind(1, state.epochs.removeFirst().number)
            try old.run()
        }
    }

    /// Reads what is to leave for a peer: the epoch is marked as heard of, and all is on the disk.
    ///
    /// An opening that only reads speaks in the last epoch: nothing is written, and no epoch used up.
    func speaking<T>(_ body: () throws(StoreFault) -> T) throws(StoreFault) -> T {
        while true {
            let result = try reading { () throws(StoreFault) in
                state.epochs.last?.isNamed == true ? try body() : nil
            }
            if let result {
                try flush()
                return result
            }
            try nameEpoch()
        }
    }

    private func nameEpoch() throws(StoreFault) {
        try changing { () throws(StoreFault) in
            guard let last = state.epochs.indices.last, !state.epochs[last].isNamed else { return }
            let row = try connection.statement("UPDATE epoch SET named = 1 WHERE number = ?")
            row.bind(1, state.epochs[last].number)
            try row.run()
            state.epochs[last].isNamed = true
        }
        if PlantedFault.leavesBeforeFlush.isPlanted { return }
        try connection.flushLog()
        flushCount += 1
        flushedSequence = state.sequence
    }

    /// Brings everything that was committed to the disk, unless it is there already.
    func flush() throws(StoreFault) {
        if flushedSequence == state.sequence { return }
        if PlantedFault.leavesBeforeFlush.isPlanted { return }
        try connection.flushLog()
        flushCount += 1
        flushedSequence = state.sequence
    }
}
