/// What a relay does that wants harm: it keeps what it is given as any other, and lies to devices.
package enum RelayLie: Hashable, Sendable {
    /// `harbor withholds every second change`: and passes the statements on that vouch for it.
    case withholding
    /// `harbor withholds everything from phone`: changes and statements.
    case withholdingFrom(device: String)
    /// `harbor repeats old changes`: whatever it ever got, with what is new.
    case repeating
    /// `harbor tampers with bodies`: a bit of each is another, and of each letter.
    case tampering
    /// `harbor swaps records`: bodies and clocks come under ids of other records.
    case swappingRecords
    /// `harbor raises clocks`: each change claims to include writes that nobody made.
    case raisingClocks
    /// `harbor replays old statements`: each device's first one, in place of its last.
    case replayingStatements
    /// `harbor swaps statements`: under the names of other devices.
    case swappingStatements
    /// `harbor claims to have everything`: acknowledges what it is given, and keeps nothing of it.
    case claimingUploads
    /// `harbor claims to have sent everything`: begins behind what the device has not read.
    case claimingReads
    /// `harbor keeps letters back`: gives none to devices with older secrets, and takes none.
    case keepingLetters
}
