/// Edits that are tried and taken back.
extension Store {
    /// Makes edits, lets them be looked at, and takes them all back: nothing of them is written.
    ///
    /// What they would do is told by the very code that would do it. No id, epoch or write number
    /// is used up, and nobody is told of a change.
    package func rehearse<T>(
        _ body: (Transaction) throws(StoreFault) -> T
    ) throws(StoreFault) -> T {
        var result: T?
        do throws(StoreFault) {
            try transact { () throws(StoreFault) -> Void in
                try refresh()
                result = try body(Transaction(self))
                // Any error takes the transaction back; this one never leaves.
                throw .closed
            }
        } catch {
            if let result { return result }
            throw error
        }
        preconditionFailure("a rehearsal is always taken back")
    }
}
