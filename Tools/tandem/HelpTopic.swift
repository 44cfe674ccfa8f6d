/// What help explains beside commands.
enum HelpTopic: String, CaseIterable {
    case environment
    case exit
    case files

    /// What it is about, in a line.
    var summary: String {
        switch self {
        case .environment: "the variables that this program heeds"
        case .exit: "how it ends, and with which number"
        case .files: "where it keeps what"
        }
    }

    /// The explanation.
    var help: String {
        switch self {
        case .environment: Self.environmentHelp
        case .exit:
            ExitCode.allCases.map { code in
                let number = "\(code.rawValue)"
                return number + String(repeating: " ", count: 5 - number.count) + code.meaning
            }.joined(separator: "\n")
        case .files: Self.filesHelp
        }
    }

    private static let environmentHelp = """
        TANDEM_STORE       the folder of the store, if no --store names one
        XDG_DATA_HOME      else the store is in `tandem` there (default ~/.local/share)
        TANDEM_WEEK_START  the first day of the week, as `sunday`; else the locale says
        LC_TIME, LANG      the locale (or LC_ALL), of which only the first day of the
                           week is used
        TZ                 the time zone of days and times; else that of the machine
        VISUAL, EDITOR     the editor that `tandem edit` opens
        NO_COLOR           no colours, if it is set to anything
        TERM               no colours and no progress where it is `dumb`
        TANDEM_RELAY_NAME  settings of a relay (`tandem help relay`)

        An option goes before its variable.
        """

    private static let filesHelp = """
        store.db           all to-dos, in SQLite; its view `todo` is for reading
        stamp, witness     who the store was when it was last used, to notice copies
        device.key         what this device shows to others to prove who it is; secret
        keyring            the secret of the space, and relays and devices known; secret
        trusted            fingerprints of devices let in besides those of the space
        listing            what the numbers of the last listing mean
        recent             what was looked at last
        snapshots          copies that were made before deletes on a great scale
        edit-*             a text that could not be saved

        All of them are in the folder of the store. A copy of the folder takes a new
        identity; `tandem backup` makes one that is whole while the store is in use.
        """
}
