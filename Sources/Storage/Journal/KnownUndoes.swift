import Core

/// The undoes that a store remembers, and what each took back.
struct KnownUndoes {
    private let targets: [HybridTimestamp: HybridTimestamp]
    private let undoes: [HybridTimestamp: [HybridTimestamp]]

    /// - Parameter targets: the change that each undo took back.
    init(_ targets: [HybridTimestamp: HybridTimestamp]) {
        self.targets = targets
        undoes = Dictionary(grouping: targets.keys) { targets[$0] ?? $0 }
    }

    /// The change that an undo took back; nil if it is no undo.
    func target(of undo: HybridTimestamp) -> HybridTimestamp? { targets[undo] }

    /// Whether something was undone after a time that was made before it.
    func hasPassed(_ time: HybridTimestamp) -> Bool {
        targets.contains { $0.key > time && $0.value < time }
    }

    /// Whether a change is undone, or is done again after it was; nil if no undo of it is known.
    func isUndone(_ change: HybridTimestamp) -> Bool? {
        undoes[change].map { _ in standing(of: change) != nil }
    }

    /// The undo of a change that is not undone itself; nil if the change stands.
    func standing(of change: HybridTimestamp) -> HybridTimestamp? {
        undoes[change]?.first { standing(of: $0) == nil }
    }
}
