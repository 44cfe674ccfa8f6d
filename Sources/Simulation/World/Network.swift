/// Which devices reach each other, and how long it takes.
struct Network {
    /// A one-way road between two devices.
    struct Road: Hashable {
        let from: Int
        let to: Int
    }

    private var blocked: Set<Road> = []
    /// The group of each device while the network is split.
    private var groups: [Int: Int]?
    private var delays: [Road: ClosedRange<Int64>] = [:]
    /// The longest that anything was ever to take; milliseconds.
    private(set) var longestDelay: Int64 = 0
    private var armedCuts: [Road: Int] = [:]
    private var armedFlips: Set<Road> = []
    private var armedUnknowns: Set<Road> = []

    /// What it takes where nothing else is said; milliseconds.
    static let usualDelay: ClosedRange<Int64> = 1...1

    /// Whether anything gets from one device to another.
    func isOpen(_ from: Int, _ to: Int) -> Bool {
        if blocked.contains(Road(from: from, to: to)) { return false }
        guard let groups else { return true }
        // Who is in no group is alone.
        return from == to || (groups[from] != nil && groups[from] == groups[to])
    }

    /// How long what leaves now is on its way, at least and at most; milliseconds.
    func delay(_ from: Int, _ to: Int) -> ClosedRange<Int64> {
        delays[Road(from: from, to: to)] ?? Self.usualDelay
    }

    mutating func setDelay(_ from: Int, _ to: Int, _ range: ClosedRange<Int64>) {
        delays[Road(from: from, to: to)] = range
        longestDelay = max(longestDelay, range.upperBound)
    }

    mutating func block(_ from: Int, _ to: Int) { blocked.insert(Road(from: from, to: to)) }
    mutating func unblock(_ from: Int, _ to: Int) { blocked.remove(Road(from: from, to: to)) }

    mutating func split(into groups: [[Int]]) {
        var numbers: [Int: Int] = [:]
        for (number, group) in groups.enumerated() { for lane in group { numbers[lane] = number } }
        self.groups = numbers
    }

    /// Ends every block, partition and delay.
    mutating func makeWhole() {
        let longestDelay = longestDelay
        self = Network()
        // What is on its way still takes what it was to take.
        self.longestDelay = longestDelay
    }

    /// Has the next link between two devices break after so many bytes.
    mutating func armCut(_ first: Int, _ second: Int, bytes: Int) {
        armedCuts[Road(from: min(first, second), to: max(first, second))] = bytes
    }

    /// After how many bytes a new link between two devices breaks; it is asked for once.
    mutating func takeCut(_ first: Int, _ second: Int) -> Int? {
        armedCuts.removeValue(forKey: Road(from: min(first, second), to: max(first, second)))
    }

    /// Has a bit flip in what next goes from one device to another.
    mutating func armFlip(_ from: Int, _ to: Int) { armedFlips.insert(Road(from: from, to: to)) }

    /// Whether a bit is to flip in what leaves now; it is asked for once.
    mutating func takeFlip(_ from: Int, _ to: Int) -> Bool {
        armedFlips.remove(Road(from: from, to: to)) != nil
    }

    /// Has a message of a kind that nobody knows go before what next goes from one device to another.
    mutating func armUnknown(_ from: Int, _ to: Int) {
        armedUnknowns.insert(Road(from: from, to: to))
    }

    /// Whether such a message is to leave now; it is asked for once.
    mutating func takeUnknown(_ from: Int, _ to: Int) -> Bool {
        armedUnknowns.remove(Road(from: from, to: to)) != nil
    }
}
