import Terminal

/// A topic that help explains, beside commands.
enum HelpTopic: String, CaseIterable {
    case environment
    case exit
    case files
    case numbers
    /// How dates are written.
    case dates

    /// The names of all of them, as help shows them.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// Its title.
    var summary: String {
        switch self {
        case .environment: "Environment variables that tandem reads"
        case .exit: "Exit codes"
        case .files: "Files in the folder of the store"
        case .numbers: "How commands name to-dos: numbers, titles, last, ids"
        case .dates: "How dates and times are written"
        }
    }

    /// The explanation.
    var help: String {
        switch self {
        case .environment: Self.environmentHelp
        case .exit:
            ExitCode.table.map { code, meaning in
                Cells.padded("\(code.rawValue)", to: 5) + meaning
            }.joined(separator: "\n")
        case .files: Self.filesHelp
        case .numbers: Self.numbersHelp
        case .dates: Self.datesHelp
        }
    }

    private static let numbersHelp = """
        3                  the to-do with this number in a list
        1-3   1,2   1-3,7  the pending to-dos with these numbers
        last               the one last added or changed in this terminal
        oat milk           the one with these words in its title, before all others the
                           one whose whole title they are; if several have them, you
                           are asked which
        title:3            the same, for what is a number or an id by itself
        9c41e07b           the one whose id ends or begins with these digits, at least
                           4; if a title has that word, too, you are asked which

        With other words beside it a number, a range or `last` is a word of the title
        (get 2 apples). If no title has all of them, nothing is done.
        A to-do gets its number when it is first shown, and keeps it on this device until
        it is finished or deleted. The number then stays free for a day, and as long as
        it is among the last 1,000 that a terminal showed. A number that now stands for
        another to-do than your terminal showed is refused. Numbers do not sync.
        """

    private static let datesHelp = """
        today tomorrow fri "next friday" "friday next week" weekend "next weekend"
        eow eom eoq eoy sow som "end of next month" easter someday
        3d 2w "in 3 days" "in 3 working days" "2 weeks after easter" eom-2d
        2026-12-25 25.12.2026 25.12. "25 dec" 12/25 15th 2026-W49
        17:00 5pm noon tonight "tomorrow 5pm" "fri 17:00" "tomorrow morning"

        A day has no time of day; morning is 9:00, afternoon 15:00, evening 18:00,
        tonight 20:00. A weekday is the coming one, today excluded. With dots the day
        comes first; 5/6 is refused, as it may be read in two ways, unless date-order is
        set (tandem help config); then one of the other order, too. A date may be counted
        from another one of the to-do: due:due+1d, wait:due-1w.
        In filters due.before:fri leaves that day out, due.by:fri takes it in, and
        wait.after:due-2d compares two dates of each to-do.
        """

    private static let environmentHelp = """
        TANDEM_STORE       the folder of the store, if there is no --store
        XDG_DATA_HOME      without TANDEM_STORE: the store is in `tandem` there
                           (default ~/.local/share)
        TANDEM_CONFIG      the file of settings (`tandem help config`)
        XDG_CONFIG_HOME    without TANDEM_CONFIG: that file is `tandem/config` there
                           (default ~/.config)
        TANDEM_CONTEXT     the view that narrows lists and new to-dos, or `none`
                           (`tandem help context`); default: the chosen one
        TANDEM_WEEK_START  the first day of the week, for example `sunday`; default:
                           that of the settings, else that of the locale
        LC_TIME, LANG      the locale (or LC_ALL); used only for the first day of the
                           week
        TZ                 the time zone of days and times; default: the machine's
        VISUAL, EDITOR     the editor for `tandem edit`
        TANDEM_NOTIFY      the program that tells reminders; default: notify-send
        NO_COLOR           set to anything: no colours
        TERM               `dumb`: no colours and no progress
        TANDEM_RELAY_NAME  settings of a relay (`tandem help relay`)

        An option overrides its variable, and a variable overrides the file of settings.
        """

    private static let filesHelp = """
        store.db           all to-dos, in SQLite; read its view `todo` if you like
        identity, lock     the store's last identity, to detect a copied store
        device.key         the private key that proves this device's identity; secret
        keyring            the secret of the space, known relays and devices; secret
        trusted            fingerprints of trusted devices outside of the space
        numbers            the numbers of to-dos on this device
        recent             the to-dos that you last looked at
        snapshots          copies made before many to-dos were deleted
        edit-*             a text that could not be saved

        All files are in the folder of the store. A copied folder takes a new identity.
        `tandem backup` makes a complete copy while the store is in use.
        """
}

extension ExitCode {
    /// Nothing matched, or the answer is no.
    static let nothing = ExitCode(rawValue: 1)
    /// Conflicts are unresolved; only with `--exit-code` of `sync` and `status`.
    static let conflictsAwait = ExitCode(rawValue: 3)
    /// The sync, the import or the changes of another program ended in order, and something is missing here all the same.
    static let incomplete = ExitCode(rawValue: 4)

    /// Every exit code of this program and its meaning in a line of help.
    static let table: [(code: ExitCode, meaning: String)] = [
        (.ok, "success"),
        (.nothing, "nothing matched, or the answer is no"),
        (.conflictsAwait, "conflicts are unresolved (sync and status --exit-code only)"),
        (.incomplete, "synced, imported or applied, but a part is missing or unreadable"),
        (.usage, "the command line is wrong"),
        (.badData, "the input is malformed"),
        (.noInput, "the input file is missing or unreadable"),
        (.unavailable, "the other device or relay is unreachable"),
        (.software, "a defect of this program: please report it"),
        (.cannotCreate, "a file cannot be created"),
        (.inputOutput, "reading or writing failed"),
        (.retryLater, "another process is in the way: try again later"),
        (.refused, "the action was refused"),
        (.configuration, "no store, a store that does not fit, or a wrong setting"),
    ]
}
