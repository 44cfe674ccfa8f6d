/// Where the journal ends, as a transaction has found it or brought it.
struct JournalTail {
    /// The number of the last entry; 0 if there never was one.
    var number: Int64 = 0
    /// The bytes of all entries that ever were, near enough.
    var reach: Int64 = 0
    /// When what this transaction brings becomes visible; milliseconds since 1970-01-01 UTC.
    var arrived: Int64
}
