import Storage

extension TandemError {
    /// Makes an app's error from a fault of the store.
    init(_ fault: StoreFault) {
        let (code, side, next) = Self.meaning(of: fault)
        self.init(code, Self.words(fault), side: side, next: next)
    }

    private static func words(_ fault: StoreFault) -> String {
        switch fault {
        case .noStore(let folder): "there is no store in \(folder)"
        case .storeExists(let folder): "there is a store in \(folder) already"
        case .newerStore(let found, let supported):
            "the store has format \(found), and this app reads up to \(supported)"
        case .notAStore(let path): "\(path) is no store"
        case .busy(let holder, let waited):
            "the store was still being written by \(holder) after \(waited) ms"
        case .inUse(let holder): "the store is open in \(holder)"
        case .diskFull(let path): "the disk of \(path) is full"
        case .corrupt(let path, let detail): "\(path) is damaged (\(detail))"
        case .readOnly(let path): "\(path) cannot be written"
        case .inputOutput(let call, let path, let detail): "\(call) failed for \(path): \(detail)"
        case .database(let code, let detail, let statement):
            "SQLite error \(code) (\(detail)) in: \(statement)"
        case .recordDeleted: "the record is deleted here"
        case .recordPurged: "the record was purged"
        case .conflictOpen: "a conflict is open on this record"
        case .notDeleted: "the record is not deleted"
        case .noSuchRecord: "there is no such record"
        case .recordExists: "there is a record of that id already"
        case .overLimit(let subject, let max): "\(subject) is over the limit of \(max)"
        case .nestedTransaction: "a transaction was begun inside of another"
        case .schemaChanged: "another program changed the store's columns"
        case .foreignOwnWrites: "another device has writes under this device's id: one is a copy"
        case .closed: "the store is closed"
        case .cannotSeal(let detail): "a change could not be sealed for a relay: \(detail)"
        }
    }

    private static func meaning(of fault: StoreFault) -> (Code, Side, next: String) {
        switch fault {
        case .noStore: (.noStore, .app, "create it, or open it with a device name")
        case .storeExists: (.storeExists, .app, "open it instead")
        case .newerStore: (.newerStore, .user, "upgrade this app")
        case .notAStore: (.notAStore, .user, "choose another folder")
        case .busy: (.busy, .machine, "try again")
        case .inUse: (.busy, .app, "close it there, then try again")
        case .diskFull: (.diskFull, .user, "free some space and try again")
        case .corrupt: (.damaged, .machine, "keep a copy, restore a backup, and sync")
        case .database where fault.tellsOfDamage:
            (.damaged, .machine, "keep a copy, restore a backup, and sync")
        case .database: (.inputOutput, .machine, "try again")
        case .readOnly, .inputOutput: (.inputOutput, .machine, "check the permissions and the disk")
        case .recordDeleted: (.recordDeleted, .user, "restore the record first")
        case .recordPurged: (.recordPurged, .user, "make a new record")
        case .conflictOpen: (.conflictOpen, .user, "resolve the conflict first")
        case .notDeleted: (.notDeleted, .user, "delete the record first")
        case .noSuchRecord: (.noSuchRecord, .app, "fetch the record again")
        case .recordExists: (.recordExists, .app, "update the record, or upsert by key")
        case .overLimit: (.overLimit, .user, "make it smaller")
        case .nestedTransaction: (.nestedTransaction, .app, "use the transaction at hand")
        case .schemaChanged: (.schemaChanged, .machine, "start this program again")
        case .foreignOwnWrites: (.refused, .machine, "sync again")
        case .closed: (.notOpen, .app, "open the store first")
        case .cannotSeal: (.noEncryption, .machine, "check that encryption is built in")
        }
    }

    /// The same for a body that only the store can make fail.
    static func mapping<T>(_ body: () throws(StoreFault) -> T) throws(TandemError) -> T {
        do throws(StoreFault) { return try body() } catch { throw TandemError(error) }
    }

    /// The same for a body that fails in any way.
    static func mappingAny<T>(_ body: () throws -> T) throws(TandemError) -> T {
        do { return try body() } catch { throw TandemError(any: error) }
    }
}
