/// The rule for modules that show a device to people or programs: they call `Device` and `ToDoStore`, and no store.
enum CallerRules {
    /// The folders of these modules.
    static let folders = ["Sources/Page", "Sources/CalDAV"]

    /// The types by which a store is read and written; those of what it gives are everybody's.
    private static let types: Set<String> = [
        "Store", "Transaction", "FetchRequest", "Journal", "LiveQuery",
    ]

    /// Places where a file names a store, but for the device's own as it is handed to a `ToDoStore`.
    static func findings(in file: SourceFile) -> [Finding] {
        var findings: [Finding] = []
        for (index, line) in file.swift.code.enumerated() {
            for name in Set(line.names).intersection(types).sorted() {
                findings.append(
                    file.finding(index, "'\(name)' is for Device and ToDoStore to call"))
            }
            let rest = line.replacing("store: ", with: "").replacing("device.store,", with: "")
            if rest.names.contains("store") {
                findings.append(
                    file.finding(index, "a store is called by Device and ToDoStore alone"))
            }
        }
        return findings
    }
}
