/// What a mark looks like: every kind has a shape of its own, and not a colour alone.
enum DiagramSymbol: String, CaseIterable {
    case wrote, merged, conflict, refused, opened, renewed, closed, killed, powerCut, befell
    case parted, holds, fails, violated

    /// What it stands for, in the legend.
    var meaning: String {
        switch self {
        case .wrote: "an edit was committed"
        case .merged: "what came in changed an item"
        case .conflict: "a conflict is open"
        case .refused: "an action was refused"
        case .opened: "opens"
        case .renewed: "opens with a new identity"
        case .closed: "closes in order"
        case .killed: "is killed"
        case .powerCut: "loses power"
        case .befell: "something else befell it"
        case .parted: "a session ended badly"
        case .holds: "as expected"
        case .fails: "not as expected"
        case .violated: "a promise was broken"
        }
    }

    /// The shape around the origin, 16 wide, in SVG.
    var shape: String {
        switch self {
        case .wrote: "<circle r=\"6.5\" class=\"f\"/>"
        case .merged: "<path class=\"o\" d=\"M0-7.5 7.5 0 0 7.5-7.5 0Z\"/>"
        case .conflict:
            "<path class=\"w\" d=\"M0-9.5 9.5 0 0 9.5-9.5 0Z\"/>"
                + "<path class=\"on\" d=\"M0-5V1.5M0 4v1.2\"/>"
        case .refused:
            "<circle r=\"7\" class=\"o\"/><path class=\"l\" d=\"M-4.6 4.6 4.6-4.6\"/>"
        case .opened: "<path class=\"f\" d=\"M-5-7 7.5 0-5 7Z\"/>"
        case .renewed:
            "<path class=\"f\" d=\"M-9-7 1 0-9 7Z\"/><path class=\"o\" d=\"M0-7 10 0 0 7Z\"/>"
        case .closed: "<path class=\"o\" d=\"M-6-6H6V6H-6Z\"/>"
        case .killed:
            "<path class=\"halo\" d=\"M-6-6 6 6M-6 6 6-6\"/>"
                + "<path class=\"x\" d=\"M-6-6 6 6M-6 6 6-6\"/>"
        case .powerCut: "<path class=\"b\" d=\"M2-10-6 1.5-1 1.5-2.5 10 6-2.5 1-2.5Z\"/>"
        case .befell: "<path class=\"o\" d=\"M-4-7H4L8 0 4 7H-4L-8 0Z\"/>"
        case .parted:
            "<path class=\"halo\" d=\"M-3-6a6 6 0 0 0 0 12M3-6a6 6 0 0 1 0 12\"/>"
                + "<path class=\"x\" d=\"M-3-6a6 6 0 0 0 0 12M3-6a6 6 0 0 1 0 12\"/>"
        case .holds:
            "<rect class=\"o\" x=\"-7\" y=\"-7\" width=\"14\" height=\"14\" rx=\"3\"/>"
                + "<path class=\"l\" d=\"M-4 .5-1 3.5 4-3\"/>"
        case .fails:
            "<rect class=\"b\" x=\"-7\" y=\"-7\" width=\"14\" height=\"14\" rx=\"3\"/>"
                + "<path class=\"on\" d=\"M-3.5-3.5 3.5 3.5M-3.5 3.5 3.5-3.5\"/>"
        case .violated:
            "<path class=\"b\" d=\"M-4-9H4L9-4V4L4 9H-4L-9 4V-4Z\"/>"
                + "<path class=\"on\" d=\"M0-5.5V1.5M0 4v1.2\"/>"
        }
    }

    /// Whether marks of one moment may stand side by side in a row.
    var isShared: Bool {
        switch self {
        case .opened, .closed, .holds, .fails, .powerCut: true
        default: false
        }
    }
}
