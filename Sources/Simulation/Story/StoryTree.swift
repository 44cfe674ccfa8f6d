/// The forms of a table by their common beginnings, so that one glance ahead tells where to go.
struct StoryTree {
    struct Node {
        /// The words that can come next, in the order of the table.
        var words: [(word: String, node: Int)] = []
        /// Where each word leads.
        var places: [String: Int] = [:]
        /// The slots that can come next.
        var slots: [(slot: StorySlot, node: Int)] = []
        /// The form that is complete here.
        var form: StoryForm?
        /// A form that leads through here.
        var sample: StoryForm?
    }

    private(set) var nodes = [Node()]

    init(_ forms: [StoryForm]) {
        for form in forms {
            for variant in form.variants { insert(form, variant) }
        }
    }

    private mutating func insert(_ form: StoryForm, _ parts: [Substring]) {
        var place = 0
        for part in parts {
            place = child(of: place, String(part))
            if nodes[place].sample == nil { nodes[place].sample = form }
        }
        precondition(nodes[place].form == nil, "two forms are the same: \(form.pattern)")
        nodes[place].form = form
    }

    private mutating func child(of place: Int, _ part: String) -> Int {
        let next = nodes.count
        if let slot = StorySlot(rawValue: part)?.reading {
            if let known = nodes[place].slots.first(where: { $0.slot == slot }) {
                return known.node
            }
            nodes[place].slots.append((slot, next))
        } else {
            if let known = nodes[place].places[part] { return known }
            nodes[place].words.append((part, next))
            nodes[place].places[part] = next
        }
        nodes.append(Node())
        return next
    }
}
