/// An option as a help page explains it.
package struct OptionHelp: Equatable, Sendable {
    /// With the hyphens in front; more than one if they are explained together.
    package let names: [String]
    /// The placeholder for the value, in capitals; nil if the option takes none.
    package let value: String?
    /// The option's effect, in one line.
    package let text: String

    /// The options that a help text explains.
    package static func options(in help: String) -> [OptionHelp] {
        HelpBlock.blocks(of: help).flatMap { block in
            guard case .definitions(let definitions) = block else { return [OptionHelp]() }
            return definitions.compactMap { OptionHelp($0) }
        }
    }

    /// Reads `--by WORD`, `--top, --bottom` or `--from DAY, --to DAY`; nil if it is no option.
    package init?(_ definition: HelpBlock.Definition) {
        let words = definition.term.split { $0 == " " || $0 == "," }.map { String($0) }
        names = words.filter { $0.hasPrefix("--") }
        value = words.first { !$0.hasPrefix("--") }
        text = definition.text
        if names.isEmpty { return nil }
    }
}
