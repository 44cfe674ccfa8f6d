import Crypto
import Devices
import Storage
import ToDo
import Transport

/// A device's place in its space, as commands use it.
enum Space {
    /// Who this device is, and whom it lets in: the devices of the space, and those in the list beside
    /// the store.
    ///
    /// Nil if this program has no encryption.
    static func security(_ place: Workplace) throws -> SyncSecurity? {
        guard var security = try Workplace.security(in: place.store.paths.folder) else {
            return nil
        }
        let (store, own) = (place.store, security.certificate.fingerprint)
        let isListed = security.judge
        security.judge = { shown in
            var found = Admission.unknown
            if let member = try? Membership(store, own) {
                found = member.judge(shown)
            } else if let book = try? DeviceBook(store), book.isRevoked(shown) {
                // Known although this device itself was never paired.
                return .unknown
            }
            if case .refused = found { return found }
            if case .trusted = isListed(shown) { return .trusted }
            return found
        }
        security.introduce = { approach, shown, binding in
            guard let member = try? Membership(store, own) else { return nil }
            try? member.refresh()
            return member.introduce(approach, shown, binding: binding)
        }
        return security
    }

    /// Why a device is refused in a session: by its key, or over a link that asks for none by who it says it is.
    static func refusal(_ place: Workplace) -> ReplicaRunner.Refusal {
        let store = place.store
        return { stated, shown in
            // What cannot be read lets nobody in, as with keys.
            guard let book = try? DeviceBook(store) else { return .unknownMembers }
            return book.refusal(stated, shown)
        }
    }

    /// What this device has as a member; nil if it was never paired.
    static func member(_ place: Workplace) throws -> Membership? {
        guard let security = try Workplace.security(in: place.store.paths.folder),
            let member = try Membership(place.store, security.certificate.fingerprint)
        else { return nil }
        try member.refresh()
        return member
    }

    /// What this device has as a member; with words for those who have nothing.
    static func requireMember(_ place: Workplace) throws -> Membership {
        if let member = try member(place) { return member }
        if try Workplace.security(in: place.store.paths.folder) == nil { throw notBuiltIn }
        throw CommandFailure(
            .configuration,
            """
            this store was made before there was pairing, and has no keys yet; make them, with a code \
            for the next device: tandem invite
            """)
    }

    static var notBuiltIn: CommandFailure {
        CommandFailure(
            .configuration,
            "this program was built without encryption, and pairing needs it; sync over ssh:// instead"
        )
    }
}
