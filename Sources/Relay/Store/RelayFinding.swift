import Core

/// A sign of damage that the examination of a relay's store found.
package enum RelayFinding: Hashable, Sendable, CustomStringConvertible {
    /// The contents of a space as its quota counts them.
    package struct Sums: Hashable, Sendable {
        /// The bytes of versions, summary rows and rekey messages.
        package var byteCount: Int
        /// The versions.
        package var versionCount: Int
        /// The records.
        package var recordCount: Int

        /// Counts.
        package init(byteCount: Int = 0, versionCount: Int = 0, recordCount: Int = 0) {
            self.byteCount = byteCount
            self.versionCount = versionCount
            self.recordCount = recordCount
        }
    }

    /// SQLite found pages or rows that do not fit; its words.
    case pages(detail: String)
    /// A version is kept beside one that covers it.
    case coveredVersion(RecordName)
    /// The body or clock of a version is not what came, by the hash beside it.
    case alteredVersion(RecordName)
    /// An arrival number was given twice.
    case sharedNumber(UInt64)
    /// An arrival number was given that is beyond the space's last one.
    case numberBeyondLast(UInt64, last: UInt64)
    /// The sums that are kept are not those of the rows.
    case sums(counted: Sums, kept: Sums)
    /// The sum of the hashes of all summary rows is another than the one that is kept.
    case rowSum
    /// The last epoch in the list of epochs is not the space's.
    case lastEpoch
    /// An epoch begins beyond the space's last number.
    case epochBeyondLast(UInt64, last: UInt64)
    /// A table has rows of spaces that are not there.
    case rowsOfNoSpace(table: String, rowCount: Int)
    /// The number of spaces that is kept, if there is one, is not how many there are.
    case spaceCount(counted: Int, kept: Int?)
    /// A part of a table is not there.
    case missingPart(String)

    /// The code of the finding, for programs.
    package var code: String {
        switch self {
        case .pages: "pages"
        case .coveredVersion: "covered-version"
        case .alteredVersion: "altered-version"
        case .sharedNumber: "shared-number"
        case .numberBeyondLast: "number-beyond-last"
        case .sums: "sums"
        case .rowSum: "row-sum"
        case .lastEpoch: "last-epoch"
        case .epochBeyondLast: "epoch-beyond-last"
        case .rowsOfNoSpace: "rows-of-no-space"
        case .spaceCount: "space-count"
        case .missingPart: "missing-part"
        }
    }

    /// The finding in words.
    package var description: String {
        switch self {
        case .pages(let detail): detail
        case .coveredVersion(let name): "record \(name) has a version that another one covers"
        case .alteredVersion(let name): "record \(name) has a version that is not what came"
        case .sharedNumber(let number): "two things have the number \(number)"
        case .numberBeyondLast(let number, let last):
            "number \(number) is beyond the last, \(last)"
        case .sums: "the sums are not those of the rows"
        case .rowSum: "the sum of summary rows is another"
        case .lastEpoch: "the last epoch is another"
        case .epochBeyondLast(let number, let last):
            "an epoch begins at \(number), beyond the last number, \(last)"
        case .rowsOfNoSpace(let table, let rowCount):
            "\(table) has \(rowCount) rows of spaces that are not there"
        case .spaceCount: "the number of spaces is another"
        case .missingPart(let part): "the part \(part) of a table is not there"
        }
    }
}
