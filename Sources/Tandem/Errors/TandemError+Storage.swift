import Storage

extension TandemError {
    /// What a fault of the store means to an app.
    init(_ fault: StoreFault) {
        let (code, side, next) = Self.meaning(of: fault)
        self.init(code, Self.beforeAdvice("\(fault)"), side: side, next: next)
    }

    /// The first part of the engine's words: behind it stands what to do on a command line.
    static func beforeAdvice(_ words: String) -> String {
        var end = words.startIndex
        while end < words.endIndex, !words[end...].hasPrefix("; ") { end = words.index(after: end) }
        return String(words[..<end])
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
}
