/// A table or an index of a damaged database, as far as its pages can be found.
struct SalvagedTree {
    let name: String
    let isIndex: Bool
    /// Its pages that can be read.
    var pages: [Int] = []
    /// How many of its pages cannot be read, or are not what they should be.
    var lostPageCount = 0
    /// How many of its rows cannot be read, on pages that can.
    var lostRowCount = 0
    /// Whether it is made of entries like an index: so are tables that have no numbers for rows.
    var hasEntries: Bool

    var isWhole: Bool { lostPageCount == 0 && lostRowCount == 0 }
}
