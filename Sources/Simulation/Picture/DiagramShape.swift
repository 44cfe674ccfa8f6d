/// The shapes of marks: each kind of happening has one of its own, so that no colour is needed.
enum DiagramShape: String, CaseIterable {
    case write
    case merge
    case opened
    case identity
    case closed
    case crashed
    case power
    case session
    case broken
    case refused
    case befell
    case holds
    case fails
    case stray

    /// What it stands for, in the legend.
    var meaning: String {
        switch self {
        case .write: "a write"
        case .merge: "merged what came in"
        case .opened: "the program starts"
        case .identity: "starts with a new replica id"
        case .closed: "the program ends in order"
        case .crashed: "the program is killed"
        case .power: "the machine loses power"
        case .session: "a session ends in order"
        case .broken: "a session fails"
        case .refused: "an action is refused"
        case .befell: "something else befalls the device"
        case .holds: "an expectation holds"
        case .fails: "an expectation fails"
        case .stray: "a lost message nobody is known to have sent"
        }
    }

    /// The shape around the origin.
    var drawing: String {
        switch self {
        case .write: #"<circle class="solid" r="5"/>"#
        case .merge: #"<circle class="hollow" r="5.5"/>"#
        case .opened: #"<path class="solid" d="M-6 5L0 -6L6 5Z"/>"#
        case .identity:
            #"<path class="solid new" d="M0 -9L2.4 -3.2L8.6 -2.8L3.8 1.2L5.3 7.3L0 4L-5.3 7.3"#
                + #"L-3.8 1.2L-8.6 -2.8L-2.4 -3.2Z"/>"#
        case .closed: #"<path class="solid" d="M-8 -2.5H8V2.5H-8Z"/>"#
        case .crashed: #"<path class="thick bad" d="M-6 -6L6 6M6 -6L-6 6"/>"#
        case .power: #"<path class="solid bad" d="M2 -10L-6 1.5H-1L-2.5 10L6 -2H1Z"/>"#
        case .session: #"<path class="line" d="M-7 -2.5H7M-7 2.5H7"/>"#
        case .broken: #"<path class="line bad" d="M-7 -2.5H7M-7 2.5H7M-4 7L4 -7"/>"#
        case .refused:
            #"<circle class="hollow bad" r="6"/><path class="line bad" d="M-4.2 4.2L4.2 -4.2"/>"#
        case .befell: #"<path class="hollow" d="M-5 -5H5V5H-5Z"/>"#
        case .holds:
            #"<circle class="back" r="7"/><path class="thick good" d="M-5.5 0L-1.5 4.5L6 -5"/>"#
        case .fails:
            #"<path class="hollow bad" d="M-7 -7H7V7H-7Z"/>"#
                + #"<path class="thick bad" d="M-3.5 -3.5L3.5 3.5M3.5 -3.5L-3.5 3.5"/>"#
        case .stray: #"<path class="line bad" d="M-4 -4L4 4M4 -4L-4 4"/>"#
        }
    }

    /// What goes around a mark if the record has open conflicts.
    static let conflict = #"<path class="conflict" d="M0 -12L12 0L0 12L-12 0Z"/>"#
}
