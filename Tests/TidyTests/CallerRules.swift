/// The rule for what shows a device to people or programs: it calls `Device` and `ToDoStore`, and no store.
enum CallerRules {
    /// The folders of these modules.
    static let folders = ["Sources/Page", "Sources/CalDAV"]

    /// The types by which a store is read and written; those of what it gives are everybody's.
    private static let types: Set<String> = [
        "Store", "Transaction", "FetchRequest", "Journal", "LiveQuery",
    ]

    /// The types of the engine that the command must not name besides.
    private static let engineTypes = types.union([
        "Replica", "SyncSession", "RelayClientSession", "ReplicaRunner",
    ])

    /// Places where a file of the command names a type of the engine, or calls a store that it may only hand on.
    static func commandFindings(in file: SourceFile) -> [Finding] {
        var findings: [Finding] = []
        for (index, line) in file.swift.code.enumerated() {
            for name in Set(line.names).intersection(engineTypes).sorted() {
                findings.append(
                    file.finding(index, "'\(name)' is for Device and ToDoStore to call"))
            }
            if line.contains(".store.") {
                findings.append(
                    file.finding(index, "a store is called by Device and ToDoStore alone"))
            }
        }
        return findings
    }

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
