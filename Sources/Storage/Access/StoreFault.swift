import CSQLite

/// Why a file or a folder cannot be written.
package enum WriteObstacle: Hashable, Sendable {
    /// The permissions of the file.
    case permissions
    /// The permissions of the folder, in which no file can be made.
    case folderPermissions
    /// The disk is mounted read-only.
    case readOnlyDisk
}

/// A process that holds a lock, as the system names it.
package struct LockHolder: Hashable, Sendable, CustomStringConvertible {
    /// The number of the process.
    package let process: Int32
    /// The name of its program; empty if the system does not say.
    package let program: String

    /// A process with the name of its program.
    package init(process: Int32, program: String) {
        self.process = process
        self.program = program
    }

    /// Both, in words.
    package var description: String {
        "process \(process) (\(program.isEmpty ? "unknown" : program))"
    }
}

/// The user of a store, or of a relay's folder, that another program needs alone.
package enum StoreUser: Hashable, Sendable, CustomStringConvertible {
    /// Processes that have the store open; none if the system names none.
    case processes([LockHolder])
    /// Another relay on the same folder, with its process.
    case relay([LockHolder])

    /// The user in words.
    package var description: String {
        switch self {
        case .processes(let holders): Self.words(holders)
        case .relay(let holders): "another relay (\(Self.words(holders)))"
        }
    }

    /// Processes in words, of which the system may name none.
    static func words(_ holders: [LockHolder]) -> String {
        holders.isEmpty
            ? "another process" : holders.map(\.description).joined(separator: " and ")
    }
}

/// Everything that can go wrong with a store: what, and what to do next.
///
/// Nothing was written.
package enum StoreFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no store in the folder.
    case noStore(folder: String)
    /// There is a store in the folder already.
    case storeExists(folder: String)
    /// A newer version of the program made the store.
    case newerStore(found: Int, supported: Int)
    /// The file is no store of this program.
    case notAStore(path: String)
    /// Another process wrote for longer than one waits.
    case busy(holder: String, waitedMilliseconds: Int)
    /// Another process has the store open, and this can be done by one alone.
    case inUse(by: StoreUser)
    /// The disk is full.
    case diskFull(path: String)
    /// The file is damaged.
    case corrupt(path: String, detail: String)
    /// The file or folder cannot be written.
    case readOnly(path: String, WriteObstacle = .permissions)
    /// Another account may have put the file there.
    case untrustedFile(path: String, FileDistrust)
    /// A system call failed.
    case inputOutput(call: String, path: String, detail: String)
    /// The server that keeps the store does not answer, or lets nobody in.
    case unreachable(server: String, detail: String)
    /// SQLite refused what it was asked; a fault of this program.
    case database(code: Int32, detail: String, statement: String)
    /// A save was made on a record that is deleted here.
    case recordDeleted
    /// The record was purged: there is nothing to save to or to bring back.
    case recordPurged
    /// A conflict is open, or values are kept that an earlier purge had not seen; a purge would drop them.
    case conflictOpen
    /// The record is not deleted; only what is in the trash is purged.
    case notDeleted
    /// There is no such record.
    case noSuchRecord
    /// There is a record of that id already.
    case recordExists
    /// A value or a record over its limit.
    case overLimit(StoreLimit, max: Int)
    /// A transaction was begun inside of another; a fault of this program.
    case nestedTransaction
    /// A program with other collections or columns took the store over while it was open here.
    case schemaChanged
    /// A peer holds writes under this replica's id that this replica never made.
    case foreignOwnWrites
    /// The store was closed.
    case closed
    /// Changes for a relay could not be sealed; nothing of them was sent.
    case cannotSeal(detail: String)

    /// The code of the fault, for programs.
    package var code: String {
        switch self {
        case .noStore: "no-store"
        case .storeExists: "store-exists"
        case .newerStore: "newer-store"
        case .notAStore: "not-a-store"
        case .busy: "busy"
        case .inUse: "in-use"
        case .diskFull: "disk-full"
        case .corrupt: "corrupt"
        case .readOnly: "read-only"
        case .untrustedFile: "untrusted-file"
        case .inputOutput: "input-output"
        case .unreachable: "unreachable"
        case .database: "database"
        case .recordDeleted: "record-deleted"
        case .recordPurged: "record-purged"
        case .conflictOpen: "conflict-open"
        case .notDeleted: "not-deleted"
        case .noSuchRecord: "no-such-record"
        case .recordExists: "record-exists"
        case .overLimit: "over-limit"
        case .nestedTransaction: "nested-transaction"
        case .schemaChanged: "schema-changed"
        case .foreignOwnWrites: "foreign-own-writes"
        case .closed: "closed"
        case .cannotSeal: "cannot-seal"
        }
    }

    /// The fault of a file whose description of its own tables this program never made.
    static func misdescribed(path: String, detail: String) -> StoreFault {
        .corrupt(path: path, detail: "its tables are not as they were made: \(detail)")
    }

    /// The codes with which SQLite tells of a statement that is not possible in a database as it was made.
    private static let codesOfDamage: Set<Int32> = [
        SQLITE_ERROR, SQLITE_INTERNAL, SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH,
        SQLITE_FORMAT, SQLITE_RANGE,
    ]

    /// Whether it tells of a file that is damaged, and not of one that could not be reached or used just now:
    /// without descriptors or memory, say, or without permission.
    package var tellsOfDamage: Bool {
        switch self {
        case .corrupt, .notAStore: true
        case .database(let code, _, _): Self.codesOfDamage.contains(code & 0xff)
        default: false
        }
    }

    package var description: String {
        switch self {
        case .noStore(let folder):
            "there is no store in \(folder); make one"
        case .storeExists(let folder): "there is a store in \(folder) already; it was left alone"
        case .newerStore(let found, let supported):
            """
            the store has format \(found), this program reads up to \(supported); \
            upgrade tandem on this machine
            """
        case .notAStore(let path): "\(path) is no tandem store; it was left alone"
        case .busy(let holder, let waited):
            """
            the store is being written by \(holder) and was still busy after \(waited) ms; \
            try again, or end that process
            """
        case .inUse(let holder):
            """
            the store is open in \(holder), and this needs it alone; end that first (a daemon or server: \
            `kill` and that number), then try again
            """
        case .diskFull(let path):
            "the disk of \(path) is full; nothing was written; free some space and try again"
        case .corrupt(let path, let detail):
            """
            \(path) is damaged (\(detail)); keep a copy of the folder, then check and repair the store, \
            or restore a backup and sync
            """
        case .readOnly(let path, .permissions): "\(path) cannot be written; check its permissions"
        case .readOnly(let path, .folderPermissions):
            """
            nothing can be made in the folder \(path), where a store has files of its own while it is open; \
            check its permissions
            """
        case .readOnly(let path, .readOnlyDisk):
            "\(path) is on a disk that is mounted read-only; nothing can be changed there"
        case .untrustedFile(let path, let reason): "\(path) \(reason)"
        case .inputOutput(let call, let path, let detail): "\(call) failed for \(path): \(detail)"
        case .unreachable(let server, let detail):
            "\(server) cannot be reached: \(detail); look whether the server runs, then try again"
        case .database(let code, let detail, let statement):
            """
            SQLite error \(code) (\(detail)) in: \(statement); the store is damaged or the program is at \
            fault: keep a copy of the folder, check the store, and report this if nothing is found
            """
        case .recordDeleted:
            "the record is deleted here, so the save was refused; restore it first"
        case .recordPurged: "the record was purged, which is for good; make a new one"
        case .conflictOpen:
            "a conflict is open on this record; resolve it first, or force the purge"
        case .notDeleted: "the record is not deleted; delete it first, or force the purge"
        case .noSuchRecord: "there is no such record"
        case .recordExists: "there is a record of that id already"
        case .overLimit(let what, let max):
            "\(what) would be over the limit of \(max); nothing was saved"
        case .nestedTransaction: "a transaction was begun inside of another"
        case .cannotSeal(let detail):
            "changes could not be sealed, so none of them was sent: \(detail)"
        case .schemaChanged:
            "another version of the program changed the store's columns; start this program again"
        case .foreignOwnWrites:
            """
            a peer has writes under this device's id that are not from here: one of two devices is a \
            copy; sync again, and this one takes a new id
            """
        case .closed: "the store is closed"
        }
    }
}

/// Something of which a store takes only so much.
package enum StoreLimit: Hashable, Sendable, CustomStringConvertible {
    /// The assignments of a record, by whomever.
    case recordAssignments
    /// The elements and named fields of a record.
    case recordValues
    /// The bytes of a record.
    case recordBytes
    /// The bytes of a field's name.
    case fieldNameBytes
    /// The bytes of a value.
    case valueBytes
    /// The bytes of a database that is salvaged.
    case damagedDatabaseBytes

    /// The limited thing in words.
    package var description: String {
        switch self {
        case .recordAssignments: "the number of values of one record"
        case .recordValues: "the number of set elements and named fields of one record"
        case .recordBytes: "the length of one record in bytes"
        case .fieldNameBytes: "the length of a field's name in bytes"
        case .valueBytes: "the length of one value in bytes"
        case .damagedDatabaseBytes: "the length of a damaged database in bytes"
        }
    }
}
