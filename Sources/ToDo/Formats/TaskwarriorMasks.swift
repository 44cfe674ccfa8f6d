/// The letters of templates' masks, brought in line with the occurrences that go out beside them:
/// Taskwarrior makes every occurrence that the mask has no letter for, and would make ours again.
struct TaskwarriorMasks {
    private var letters: [UInt128: [Int: Character]] = [:]

    init(_ items: [ToDoItem]) {
        for item in items where TaskwarriorRecurrence.isOccurrence(item) {
            guard let template = item.series, let number = item.occurrence,
                number <= TaskwarriorRecurrence.countMax
            else { continue }
            letters[template, default: [:]][number - 1] = Self.letter(item.status)
        }
    }

    /// The template with the mask that it needs; any other item as it is.
    func corrected(_ item: ToDoItem) -> ToDoItem {
        guard TaskwarriorRecurrence.isTemplate(item),
            let letters = item.identifier.flatMap({
                self.letters[$0]
            })
        else { return item }
        var mask: [Character] = []
        if case .text(let text)? = item.custom[TaskwarriorRecurrence.mask] { mask = Array(text) }
        for (index, letter) in letters.sorted(by: { $0.key < $1.key }) {
            while mask.count <= index { mask.append("+") }
            let isOpen = mask[index] == "-" || mask[index] == "W"
            // Whether one waits is as it says itself.
            if letter != "-" || !isOpen { mask[index] = letter }
        }
        var item = item
        item.custom[TaskwarriorRecurrence.mask] = .text(String(mask))
        return item
    }

    private static func letter(_ status: ToDoStatus) -> Character {
        switch status {
        case .pending: "-"
        case .completed: "+"
        case .cancelled: "X"
        }
    }
}
