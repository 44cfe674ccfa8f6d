/// How an older copy of a store comes back.
package enum RestoreManner: String, Hashable, Sendable, CaseIterable {
    /// As new files with the old names, as backup programs do it.
    case replaced
    /// Over the old bytes, in the same files.
    case inPlace = "in place"
    /// The database alone, beside the newer stamp.
    case databaseAlone = "database alone"
    /// With everything else on the machine, so that nothing can tell: a virtual machine set back.
    case unnoticed
}
