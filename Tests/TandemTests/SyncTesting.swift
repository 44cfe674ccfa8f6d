import Tandem

extension SyncService {
    /// Where it is called, once it listens.
    func listening() async -> String? {
        for await status in statuses {
            if let address = status.listening { return address }
        }
        return nil
    }

    /// Waits until something holds of its status.
    func wait(until holds: (SyncStatus) -> Bool) async {
        for await status in statuses where holds(status) { return }
    }
}

extension TandemStore {
    /// Syncs with all that are known, and expects each to be met.
    func meet() throws {
        for outcome in try syncWithKnown().values { _ = try outcome.get() }
    }
}
