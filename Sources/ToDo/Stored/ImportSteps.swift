import Core
import Storage

/// The effect of an import on one entry of a file.
package struct ImportStep: Sendable {
    /// Made, updated, left as it was, left in the trash, or left purged.
    package let outcome: UpsertOutcome
    /// The title, as the file says it.
    package let title: String
    /// The changes of an updated to-do; known of a rehearsal alone.
    package var changes: [ItemDifference]
    /// The fields that said something else here, which the file's value replaces.
    package let replaced: [String]
    /// The fields whose open conflict the file's value ends; known of a rehearsal alone.
    package var decided: [String] = []
    /// The fields that stay although the file's table leaves them empty: an import clears nothing.
    package var kept: [String]
    /// Whether the file says that it was in the trash: it is made there; if it is here, it is left as it
    /// is, alive or not.
    package let isTrash: Bool

    /// The effect on one entry.
    package init(
        outcome: UpsertOutcome, title: String, changes: [ItemDifference] = [],
        replaced: [String] = [], kept: [String] = [], isTrash: Bool = false
    ) {
        self.outcome = outcome
        self.title = title
        self.changes = changes
        self.replaced = replaced
        self.kept = kept
        self.isTrash = isTrash
    }

    /// The to-do.
    package var id: RecordID { outcome.id }

    /// The same with the beginnings of long texts, for a list of very many.
    fileprivate var shortened: ImportStep {
        var short = ImportStep(
            outcome: outcome, title: FormatLoss.beginning(of: title),
            changes: changes.prefix(FormatLimits.listedFieldCountMax).map(\.shortened),
            replaced: Array(replaced.prefix(FormatLimits.listedFieldCountMax)),
            kept: Array(kept.prefix(FormatLimits.listedFieldCountMax)), isTrash: isTrash)
        short.decided = Array(decided.prefix(FormatLimits.listedFieldCountMax))
        return short
    }
}

/// Takes the steps of an import as they are made.
protocol ImportSteps {
    mutating func add(_ step: ImportStep)
}

/// The steps of an import by what became of them.
package struct ImportSummary: Sendable, ImportSteps {
    /// How many there are.
    package private(set) var stepCount = 0
    /// How many to-dos were made.
    package private(set) var madeCount = 0
    /// How many were changed.
    package private(set) var updatedCount = 0
    /// How many were as the file says.
    package private(set) var unchangedCount = 0
    /// How many were made in the trash.
    package private(set) var madeInTrashCount = 0
    /// The to-dos that stay in the trash here.
    package private(set) var leftInTrash: [ImportStep] = []
    /// The to-dos that were purged here and were not made anew.
    package private(set) var leftPurged: [ImportStep] = []
    /// The to-dos that are in the trash by the file, and alive here.
    package private(set) var leftAlive: [ImportStep] = []
    /// How many fields said something else here before.
    package private(set) var replacedCount = 0
    /// How many to-dos have such fields.
    package private(set) var replacedItemCount = 0

    /// How many to-dos of the file are here now, in the trash if the file has them there.
    package var takenCount: Int {
        madeCount + updatedCount + unchangedCount + madeInTrashCount + leftAlive.count
    }

    /// Sorts the steps.
    package init(_ steps: [ImportStep] = []) {
        for step in steps { add(step) }
    }

    /// Counts one more step.
    package mutating func add(_ step: ImportStep) {
        stepCount += 1
        replacedCount += step.replaced.count
        if !step.replaced.isEmpty { replacedItemCount += 1 }
        switch step.outcome {
        case .inserted where step.isTrash: madeInTrashCount += 1
        case .unchanged where step.isTrash: leftAlive.append(step)
        case .skippedDeleted where step.isTrash, .skippedPurged where step.isTrash:
            unchangedCount += 1
        case .inserted: madeCount += 1
        case .updated: updatedCount += 1
        case .unchanged: unchangedCount += 1
        case .skippedDeleted: leftInTrash.append(step)
        case .skippedPurged: leftPurged.append(step)
        }
    }
}

/// What an import would do, as a rehearsal tells it.
package struct ImportPlan: Sendable, ImportSteps {
    /// The steps by what would become of them.
    package private(set) var summary = ImportSummary()
    /// The first steps that are not as the file says already, at most ``FormatLimits/listedStepCountMax``.
    package private(set) var steps: [ImportStep] = []
    /// How many such steps there are besides.
    package private(set) var unlistedStepCount = 0

    mutating func add(_ step: ImportStep) {
        summary.add(step)
        switch step.outcome {
        case .unchanged where step.kept.isEmpty && !step.isTrash: return
        case .skippedDeleted where step.isTrash, .skippedPurged where step.isTrash: return
        default: break
        }
        if steps.count < FormatLimits.listedStepCountMax {
            steps.append(step.shortened)
        } else {
            unlistedStepCount += 1
        }
    }
}

/// A file that is read piece by piece, as a first reading finds it: all but its to-dos.
package struct FileSurvey: Sendable {
    /// The faults, losses and values beside shown ones; without to-dos.
    package private(set) var reading = FormatReading()

    /// Nothing was read yet.
    package init() {}

    /// How many to-dos were read.
    package private(set) var itemCount = 0

    /// How many bad entries there are.
    package var faultCount: Int { reading.faults.count + reading.unlistedFaultCount }

    /// Takes note of a page.
    package mutating func add(_ page: FormatReading) {
        itemCount += page.items.count + page.trash.count
        reading.besides += page.besides
        reading.columns.formUnion(page.columns)
        reading.ownColumns += page.ownColumns
        reading.columnNames += page.columnNames
        reading.unlistedFaultCount += Self.list(page.faults, in: &reading.faults)
        reading.unlistedLossCount += Self.list(page.losses.map(\.shortened), in: &reading.losses)
        reading.unlistedRemarkCount += Self.list(
            page.remarks.map(\.shortened), in: &reading.remarks)
    }

    /// Adds what fits to a list; how many do not.
    private static func list<Entry>(_ entries: [Entry], in listed: inout [Entry]) -> Int {
        let room = FormatLimits.listedFaultCountMax - listed.count
        listed += entries.prefix(room)
        return max(0, entries.count - room)
    }
}

/// A value of a field in conflict that was not the shown one.
package struct BesideValue: Hashable, Sendable {
    /// The to-do.
    package let item: UInt128
    /// The field, by its name in our own export; `x.NAME` for one of the user's own.
    package let field: String
    /// The value; nil for a field that was cleared.
    package let value: CustomValue?
    /// The name of the device that gave it.
    package let device: String
    /// When, by that device's clock; milliseconds since 1970.
    package let time: Int64

    /// The most characters of a device's and a field's name that are taken over.
    private static let nameCountMax = 40

    /// The custom field that keeps it where the conflict itself cannot be made again.
    package var customName: String {
        "conflict \(field.prefix(Self.nameCountMax)) (\(device.prefix(Self.nameCountMax)), "
            + "\(TimestampText.rfc3339(time)))"
    }
}
