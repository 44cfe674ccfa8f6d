/// Gathers what is read of a file, entry by entry; a bad one does not end the others.
struct ReadingBuilder {
    private let format: String
    private let check: ItemCheck
    private(set) var reading = FormatReading()
    /// How many entries were met, good and bad.
    private(set) var entryCount = 0

    init(_ format: String, limitsYears: Bool = true) {
        self.format = format
        check = ItemCheck(limitsYears: limitsYears)
    }

    /// Reads the next entry, which begins at `line`; `body` gets its number and says what is lost.
    ///
    /// - Throws: `cannotDecode` if the file has too many entries.
    mutating func add(
        line: Int?, isTrash: Bool = false,
        _ body: (Int, inout [FormatLoss]) throws(FormatFault) -> ToDoItem
    ) throws(FormatFault) {
        let entry = try next(line: line)
        do throws(FormatFault) {
            var losses: [FormatLoss] = []
            var item = try body(entry, &losses)
            if item.status == .pending, !item.completions.isEmpty {
                item.completions = []
                losses.append(
                    FormatLoss(
                        entry: entry, title: item.title, field: "completed",
                        reason: "left out, as the to-do is pending"))
            }
            if let value = item.custom.removeValue(forKey: "") {
                losses.append(
                    FormatLoss(
                        entry: entry, title: item.title, field: "",
                        reason: "left out, as it has no name: \(value.displayText.prefix(60))"))
            }
            if let problem = check.problem(item) {
                throw .badEntry(
                    format: format, entry: entry, key: problem.key, reason: problem.reason)
            }
            if isTrash { reading.trash.append(item) } else { reading.items.append(item) }
            reading.losses += losses
        } catch {
            refuse(error, line: line)
        }
    }

    /// Reads an entry that says what stood beside the shown values of others.
    mutating func addBeside(
        line: Int?, _ body: (Int, inout [FormatLoss]) throws(FormatFault) -> [BesideValue]
    ) throws(FormatFault) {
        let entry = try next(line: line)
        do throws(FormatFault) {
            var losses: [FormatLoss] = []
            reading.besides += try body(entry, &losses)
            reading.losses += losses
        } catch {
            refuse(error, line: line)
        }
    }

    /// Takes note of an entry that cannot even be told apart.
    mutating func addBad(line: Int?, reason: String) throws(FormatFault) {
        let entry = try next(line: line)
        reading.faults.append(
            .badEntry(format: format, line: line, entry: entry, key: nil, reason: reason))
    }

    /// Moves the entry that was read last to those that the file says were in the trash.
    mutating func buryLast() {
        if let item = reading.items.popLast() { reading.trash.append(item) }
    }

    /// Tells of what is kept, but otherwise.
    mutating func addRemarks(_ remarks: [FormatLoss]) {
        reading.remarks += remarks
    }

    /// Adds what is lost of the file beside its entries.
    mutating func add(_ loss: FormatLoss) {
        reading.losses.append(loss)
    }

    /// Changes all items once the last was read.
    mutating func changeItems(_ body: (inout [ToDoItem]) -> Void) {
        body(&reading.items)
    }

    private mutating func next(line: Int?) throws(FormatFault) -> Int {
        entryCount += 1
        guard entryCount <= FormatLimits.entryCountMax else {
            throw .cannotDecode(
                format: format,
                reason: "the file has more than \(FormatLimits.entryCountMax) entries", line: line)
        }
        return entryCount
    }

    private mutating func refuse(_ fault: FormatFault, line: Int?) {
        switch fault {
        case .badEntry(let format, let own, let entry, let key, let reason):
            reading.faults.append(
                .badEntry(
                    format: format, line: own ?? line, entry: entry, key: key, reason: reason))
        case .cannotDecode, .cannotEncode: reading.faults.append(fault)
        }
    }
}
