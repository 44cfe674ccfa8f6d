/// What was done to the names of files since their folder was last brought to the disk; one step.
struct NameChange {
    /// Which names stand for which files from then on; nil for none.
    let names: [(path: String, file: DiskFile?)]

    /// Does it.
    func apply(to names: inout [String: DiskFile]) {
        for change in self.names { names[change.path] = change.file }
    }

    /// The folder of the names.
    var folder: Substring { names.first.map { SimulatedDisk.folder(of: $0.path) } ?? "" }
}
