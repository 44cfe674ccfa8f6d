/// One line of a story: what happens, and how it is meant to end.
package struct Step: Hashable, Sendable {
    /// What happens.
    package var action: Action
    /// Why it is meant to be refused or to fail; nil if it is meant to go well.
    package var refusal: Refusal?
    /// Whether another program on the same device does it.
    package var isElsewhere: Bool
    /// Where it was read; nil if it was not.
    ///
    /// Without weight when steps are compared.
    package var position: Position?

    /// A step.
    package init(
        _ action: Action, refusal: Refusal? = nil, isElsewhere: Bool = false,
        position: Position? = nil
    ) {
        self.action = action
        self.refusal = refusal
        self.isElsewhere = isElsewhere
        self.position = position
    }

    package static func == (left: Step, right: Step) -> Bool {
        left.action == right.action && left.refusal == right.refusal
            && left.isElsewhere == right.isElsewhere
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(action)
        hasher.combine(refusal)
        hasher.combine(isElsewhere)
    }
}
