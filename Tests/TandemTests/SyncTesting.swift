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

extension TestFolder {
    /// A store that joins the space of another one with a code that admits whoever comes first.
    func join(
        _ host: TandemStore, at address: String, _ name: String, schema: Schema
    ) throws -> TandemStore {
        let invitation = try host.invite(at: [address], admitsFirst: true)
        return try withExtendedLifetime(invitation) {
            try TandemStore.join(
                invitation.code, at: "\(path)/\(name)", schema: schema, deviceName: name)
        }
    }
}
