// The tables of seeds, one for each topic, are made of it.
/// One behaviour that to-do and list apps have and Tandem was asked for, with what shows that it is there.
struct SeedRow {
    /// From 1, in the order of the request.
    let number: Int
    /// The behaviour, in a few words.
    let behaviour: String
    let proofs: [SeedProof]

    init(_ number: Int, _ behaviour: String, _ proofs: [SeedProof]) {
        self.number = number
        self.behaviour = behaviour
        self.proofs = proofs
    }
}
