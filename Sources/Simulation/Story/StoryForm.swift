/// A form that a line can have: a row of the language's tables.
package struct StoryForm: Sendable {
    /// The words of the form; `has|have` are two to choose from, capitals stand for slots.
    let pattern: String
    /// What it says, in a sentence.
    package let meaning: String
    /// A line that has this form, or for a claim the end of one.
    package let example: String
    /// Whether another program on the device can do it as well.
    let isProgram: Bool
    /// Makes the meaning of what stands in the slots.
    let build: @Sendable (inout StoryArguments) -> StoryMeaning

    init(
        _ pattern: String, _ meaning: String, _ example: String, isProgram: Bool = false,
        build: @escaping @Sendable (inout StoryArguments) -> StoryMeaning
    ) {
        self.pattern = pattern
        self.meaning = meaning
        self.example = example
        self.isProgram = isProgram
        self.build = build
    }

    /// What happens.
    static func action(
        _ pattern: String, _ meaning: String, _ example: String,
        _ build: @escaping @Sendable (inout StoryArguments) -> Action
    ) -> StoryForm {
        StoryForm(pattern, meaning, example) { .action(build(&$0)) }
    }

    /// What a program does on a device, as another program on it could.
    static func program(
        _ pattern: String, _ meaning: String, _ example: String,
        _ build: @escaping @Sendable (inout StoryArguments) -> Action
    ) -> StoryForm {
        StoryForm(pattern, meaning, example, isProgram: true) { .action(build(&$0)) }
    }

    /// What can be expected.
    static func claim(
        _ pattern: String, _ meaning: String, _ example: String,
        _ build: @escaping @Sendable (inout StoryArguments) -> Claim
    ) -> StoryForm {
        StoryForm(pattern, meaning, example) { .claim(build(&$0)) }
    }

    /// The form as people read it: `DEVICE creates ITEM SETTINGS`.
    package var words: String {
        pattern.split(separator: " ").map { part in
            if let slot = StorySlot(rawValue: String(part)) { return slot.placeholder }
            return part.split(separator: "|").first.map { String($0) } ?? ""
        }.joined(separator: " ")
    }

    /// The pattern with each choice made in each way.
    var variants: [[Substring]] {
        pattern.split(separator: " ").reduce([[]]) { variants, part in
            let choices = part.split(separator: "|")
            return variants.flatMap { variant in choices.map { variant + [$0] } }
        }
    }
}
