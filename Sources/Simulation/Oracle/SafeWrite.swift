import Records

/// A value given while one dot may name two writes: by whom, and what its device had lost by then.
struct SafeWrite: Hashable {
    let lane: Int
    let kind: History.Kind
    let assignments: [Assignment]
    let lossCount: Int
}
