import JSON
import Terminal
import ToDo

/// Tells what a sync with a folder did.
struct VdirOutput {
    private let isJSON: Bool
    private let isWatch: Bool
    private let isRehearsal: Bool
    private var objects: [JSONValue] = []
    private var counts: [FolderEvent.Kind: Int] = [:]
    /// The messages about skipped files that were already shown, so that a watch does not repeat
    /// them.
    private var told: Set<FolderEvent> = []
    /// The refusal that was told last.
    private var toldRefusal: FolderReport.Refusal?
    private var isRefused = false

    init(_ arguments: Arguments) {
        isJSON = arguments.has("json")
        isWatch = arguments.has("watch")
        isRehearsal = arguments.has("dry-run")
    }

    /// Tells the result of a look.
    mutating func tell(_ look: FolderMirror.Look) {
        if let refusal = look.refusal { return refuse(refusal) }
        toldRefusal = nil
        var problems: Set<FolderEvent> = []
        for event in look.events {
            if event.kind == .problem {
                if !problems.insert(event).inserted || told.contains(event) { continue }
            }
            tell(event)
        }
        told = problems
    }

    private mutating func tell(_ event: FolderEvent) {
        counts[event.kind, default: 0] += 1
        if isJSON {
            objects.append(Self.json(event))
        } else if event.kind == .problem {
            Screen.error("tandem: \(Self.problem(event))\n")
        } else if isWatch || isRehearsal {
            Screen.line(
                "\(Self.word(event.kind))  \(event.name.shownInLine): \(event.title.shownInLine)")
        }
    }

    private mutating func refuse(_ refusal: FolderReport.Refusal) {
        isRefused = true
        let text: String
        var members: [(String, JSONValue)] = [("kind", JSONOutput.text("refused"))]
        switch refusal {
        case .gone(let gone, let count):
            text =
                "\(gone) of \(EditMessages.count(count, "file")) are gone: nothing was done. "
                + "If they were deleted on purpose: --force-delete"
            members += [("gone", .number(gone)), ("files", .number(count))]
        case .narrowed(let scope, let count):
            text =
                "the folder was for \(scope.map { "project \($0.shownInLine)" } ?? "all to-dos") "
                + "so far, and \(EditMessages.count(count, "file")) would be removed: nothing was done. "
                + "Use another folder, or say --narrow; their to-dos stay"
            members.append(("outside", .number(count)))
        }
        if toldRefusal == refusal { return }
        toldRefusal = refusal
        Screen.error("tandem: \(text)\n")
        if isJSON { objects.append(JSONOutput.object(members)) }
    }

    private static func word(_ kind: FolderEvent.Kind) -> String {
        switch kind {
        case .made: "new to-do    "
        case .updated: "to-do changed"
        case .deleted: "to-do deleted"
        case .written: "file written "
        case .removed: "file removed "
        case .problem: "left alone   "
        }
    }

    /// The problem in words, with the command that solves it.
    private static func reason(_ event: FolderEvent) -> String? {
        guard case .restore(let identifier) = event.next else { return event.reason }
        let command = "\(AdvisedLine.program) restore \(ICalendarFormat.idText(identifier))"
        return "its to-do is in the trash here; \(command) brings it back, or delete the file"
    }

    private static func problem(_ event: FolderEvent) -> String {
        let line = event.line.map { ", line \($0)" } ?? ""
        return "\(event.name.shownInLine)\(line): \((reason(event) ?? "").shownInLine)"
    }

    private static func json(_ event: FolderEvent) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("kind", JSONOutput.text(event.kind.rawValue)), ("file", JSONOutput.text(event.name)),
        ]
        if let identifier = event.identifier {
            members.append(("id", JSONOutput.text(ICalendarFormat.idText(identifier))))
            members.append(("title", JSONOutput.text(event.title)))
        }
        if let line = event.line { members.append(("line", .number(line))) }
        if let reason = reason(event) { members.append(("reason", JSONOutput.text(reason))) }
        return JSONOutput.object(members)
    }

    /// Hands over what a watch has to tell.
    mutating func flush() {
        for object in objects { Screen.line(object) }
        objects = []
        Screen.flush()
    }

    /// Ends a single run.
    func finish() -> ExitCode {
        if isJSON {
            Screen.line(JSONOutput.array(objects))
        } else if !isRefused {
            Screen.line(summary)
        }
        if isRefused { return .refused }
        return counts[.problem] == nil ? .ok : .badData
    }

    private var summary: String {
        func part(_ kind: FolderEvent.Kind, _ words: (Int) -> String) -> String? {
            counts[kind].map(words)
        }
        let parts = [
            part(.made) { "\(EditMessages.count($0, "new to-do"))" },
            part(.updated) { "\(EditMessages.count($0)) changed" },
            part(.deleted) { "\(EditMessages.count($0)) deleted" },
            part(.written) { "\(EditMessages.count($0, "file")) written" },
            part(.removed) { "\(EditMessages.count($0, "file")) removed" },
            part(.problem) { "\(EditMessages.count($0, "file")) left alone" },
        ].compactMap { $0 }
        if parts.isEmpty { return isRehearsal ? "Nothing would be done" : "In step: nothing to do" }
        return (isRehearsal ? "Would be: " : "") + parts.joined(separator: ", ")
    }
}
