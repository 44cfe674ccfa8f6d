import ToDo

/// The names that a story has made known so far.
///
/// One object, since a copy that a line keeps would have every new name copy all of them.
final class StoryScope {
    /// Names of one sort, in order of their appearance.
    struct Names {
        private(set) var ordered: [String] = []
        private var known: Set<String> = []

        func contains(_ name: String) -> Bool { known.contains(name) }

        mutating func insert(_ name: String) {
            if known.insert(name).inserted { ordered.append(name) }
        }
    }

    var devices = Names()
    /// Those of the devices that are relays.
    var relays: Set<String> = []
    var items = Names()
    var backups = Names()
    var fields = Names()
    /// Every word of a line that could not be read: what it was to make known is unknown, and the
    /// lines after it are not to blame.
    var doubtful: Set<String> = []
    /// Whether items need not be known.
    var isLenient = false

    /// The name that was probably meant.
    ///
    /// Only so many are compared, since a story may know very many.
    static func nearest(to word: String, among names: [String]) -> String? {
        Spelling.suggestion(for: word, among: Array(names.prefix(1_000)))
    }

    /// Takes in every word of a line that could not be read.
    func doubt(_ scalars: [Unicode.Scalar]) {
        for word in scalars.split(whereSeparator: { !StoryText.continuesName($0) }) {
            var name = String.UnicodeScalarView()
            name.append(contentsOf: word)
            doubtful.insert(String(name))
        }
    }
}
