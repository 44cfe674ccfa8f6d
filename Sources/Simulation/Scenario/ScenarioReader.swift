import ToDo

/// Reads scenarios.
///
/// The grammar, of which the forms stand in the tables of `ScenarioWords`:
///
///     scenario     = { line line-end }
///     line      = [ heading | step ] [ "#" anything ]
///     heading   = form of ScenarioWords.headings                      before the first step
///     step = [ "another program on" ] form [ ending ]
///     ending    = "but" ( "is refused" | "fails" ) [ ":" reason ]
///     claim     = form of ScenarioWords.claims                        after "expect" WHO
///     WHO       = "everyone" | list of names
///     SETTINGS  = { FIELD ( VALUE | { ( "+" | "-" ) element } ) }
///     VALUE     = text | number | date | "true" | "false" | "none" | "@" name | "newer" number
///     element   = name | text
///     SPAN      = number unit
///     list      = thing { ( "," | "and" ) thing }
///     name      = ( letter | "_" ) { letter | digit | "-" | "_" }  no reserved word
///     number    = [ "-" ] digit { digit }
///     date      = year "-" month "-" day                           4, 2 and 2 digits
///     text      = quote { character | "\" ( quote | "\" | "n" | "t" | "u{" digits "}" ) } quote
///
/// One pass reads line after line and knows which names the lines before have made known. A line that
/// cannot be read is passed over, and so is whatever is wrong with others on its account.
package enum ScenarioReader {
    /// The scenario that a file tells.
    ///
    /// - Throws: as `read(_:)`, and a single fault at the first byte that no text in UTF-8 has.
    package static func read(_ bytes: [UInt8]) throws(ScenarioFaults) -> Scenario {
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw ScenarioFaults([binaryFault(in: bytes)], isCutShort: false)
        }
        return try read(text)
    }

    /// Where the bytes stop to be a text; a byte of zero is in none.
    private static func binaryFault(in bytes: [UInt8]) -> ScenarioFault {
        var decoder = UTF8()
        var rest = bytes.makeIterator()
        var (line, column, byteCount) = (1, 1, 0)
        while case .scalarValue(let scalar) = decoder.decode(&rest), scalar != "\0" {
            byteCount += UTF8.width(scalar)
            (line, column) = scalar == "\n" ? (line + 1, 1) : (line, column + 1)
        }
        return ScenarioFault(
            binaryAtLine: line, column: column, byte: bytes[min(byteCount, bytes.count - 1)])
    }

    /// The scenario that the text tells.
    ///
    /// - Throws: everything that is wrong with it, up to `ScenarioLimits.faultCountMax` faults.
    package static func read(_ text: String) throws(ScenarioFaults) -> Scenario {
        var reading = ScenarioReading()
        reading.read(text)
        if !reading.faults.isEmpty {
            throw ScenarioFaults(
                reading.faults.sorted {
                    ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column)
                }, isCutShort: reading.isCutShort)
        }
        return reading.scenario
    }
}

/// A text on its way to a scenario.
struct ScenarioReading {
    /// An item that is referred to, by a line that is kept for a fault.
    private struct Reference {
        let mention: ScenarioLine.Mention
        let line: Int
        let scalars: [Unicode.Scalar]
    }

    private(set) var scenario = Scenario()
    private(set) var faults: [ScenarioFault] = []
    private(set) var isCutShort = false
    private let scope = ScenarioScope()
    private var references: [Reference] = []
    /// The lines of the headings that can be given once.
    private var headingLines: [String: Int] = [:]
    private var firstActionLine: Int?
    /// In which line each device comes into the world.
    private var deviceLines: [String: Int] = [:]
    /// Which of the faults are about devices that no line before has made known.
    private var unknownDevices: [(fault: Int, name: String)] = []

    /// Reads the whole text, or as much of it as there is room for faults.
    mutating func read(_ text: String) {
        guard text.utf8.count <= ScenarioLimits.textByteCountMax else {
            note(
                ParseError(
                    0..<0, "the text is too long",
                    hint: "a scenario has at most \(ScenarioLimits.textByteCountMax) bytes"), 1, [])
            return
        }
        var line: [Unicode.Scalar] = []
        var length = 0
        var number = 1
        for (offset, scalar) in text.unicodeScalars.enumerated() {
            if scalar == "\n" {
                read(line, length, number)
                if isCutShort { return }
                line.removeAll(keepingCapacity: true)
                length = 0
                number += 1
            } else if offset > 0 || scalar != "\u{FEFF}" {
                // A mark of the byte order may stand at the very beginning.
                length += 1
                if length <= ScenarioLimits.lineLengthMax { line.append(scalar) }
            }
        }
        read(line, length, number)
        checkReferences()
        checkOrder()
        checkDevices()
    }

    private mutating func read(_ scalars: [Unicode.Scalar], _ length: Int, _ number: Int) {
        if length == 0 { return }
        do throws(ParseError) {
            if length > ScenarioLimits.lineLengthMax {
                throw ParseError(
                    scalars.count..<scalars.count, "the line is too long",
                    hint: "a line has at most \(ScenarioLimits.lineLengthMax) characters")
            }
            var line = try ScenarioLine(scalars, scope)
            guard let first = line.tokens.first else { return }
            let (meaning, step) = try line.step()
            if var step {
                try check(line, step)
                let column = first.range.lowerBound + 1
                step.position = Position(line: number, column: column)
                try add(step, line, number, scalars)
            } else {
                try add(meaning, first, number)
                addDevices(of: line, number)
                if case .devices(let devices) = meaning {
                    scope.relays.formUnion(devices.filter(\.isRelay).map(\.name))
                }
            }
        } catch {
            scope.noteUnread(scalars)
            note(error, number, scalars)
        }
    }

    private mutating func note(_ parseError: ParseError, _ line: Int, _ scalars: [Unicode.Scalar]) {
        if faults.count == ScenarioLimits.faultCountMax {
            isCutShort = true
        } else {
            if let name = parseError.unknownDevice { unknownDevices.append((faults.count, name)) }
            faults.append(ScenarioFault(line: line, of: scalars, parseError))
        }
    }

    private mutating func addDevices(of line: ScenarioLine, _ number: Int) {
        for mention in line.newDevices {
            scope.devices.insert(mention.name)
            deviceLines[mention.name] = number
        }
    }

    // MARK: Headings

    private mutating func add(
        _ heading: ScenarioMeaning, _ first: ScenarioToken, _ number: Int
    ) throws(ParseError) {
        let word = first.word ?? ""
        if let firstActionLine {
            throw ParseError(
                first.range, "`\(word)` comes too late",
                hint: "headings stand before the first action, which is in line \(firstActionLine)")
        }
        if case .devices(let devices) = heading {
            scenario.devices += devices
            return
        }
        if let line = headingLines.updateValue(number, forKey: word) {
            throw ParseError(
                first.range, "`\(word)` is given twice", hint: "the first one is in line \(line)")
        }
        switch heading {
        case .title(let title): scenario.title = title
        case .policy(let policy): scenario.policy = policy
        case .seed(let seed): scenario.seed = seed
        case .lenient:
            scenario.isLenient = true
            scope.isLenient = true
        case .meetingOnlyAtRelays: scenario.meetsOnlyAtRelays = true
        case .plain: scenario.isPlain = true
        case .massDeleteGuard(let count): scenario.massDeleteGuardCount = count
        case .devices, .event, .claim: break
        }
    }

    // MARK: Steps

    private mutating func add(
        _ step: Step, _ line: ScenarioLine, _ number: Int, _ scalars: [Unicode.Scalar]
    ) throws(ParseError) {
        if scenario.steps.count == ScenarioLimits.stepCountMax {
            isCutShort = true
            throw ParseError(
                line.tokens[0].range, "the scenario is too long",
                hint: "a scenario has at most \(ScenarioLimits.stepCountMax) steps")
        }
        if firstActionLine == nil { firstActionLine = number }
        scenario.steps.append(step)
        addDevices(of: line, number)
        line.newItems.forEach { scope.items.insert($0.name) }
        line.newBackups.forEach { scope.backups.insert($0.name) }
        line.setFields.forEach { scope.fields.insert($0.name) }
        for mention in line.references where !scope.items.contains(mention.name) {
            references.append(Reference(mention: mention, line: number, scalars: scalars))
        }
    }

    /// Whether what the line speaks of is known.
    private func check(_ line: ScenarioLine, _ step: Step) throws(ParseError) {
        if let (message, hint) = step.event.family.contradiction {
            throw ParseError(line.tokens[0].range, message, hint: hint)
        }
        // A scenario may well be about a device that calls itself and is refused.
        if step.refusal == nil, !scope.isLenient, let name = step.event.family.selfMet {
            let mentions = line.tokens.filter { $0.isWord(name) }
            throw ParseError(
                (mentions.last ?? line.tokens[0]).range, "`\(name)` is named at both ends",
                hint: "this takes two devices, such as `laptop` and `phone`")
        }
        try checkRelays(line, step)
        if scope.isLenient || step.refusal != nil { return }
        var foreseeing = "foresee `but is refused: missing`"
        if case .expect(let expectation) = step.event {
            if case .holds(_, .missing) = expectation.claim { return }
            foreseeing = "expect it to be `missing`"
        }
        for mention in line.usedItems {
            try checkItem(mention, "no earlier line", or: foreseeing)
        }
        for mention in line.expectedFields
        where !scope.fields.contains(mention.name) && !scope.unread.contains(mention.name) {
            let nearest = ScenarioScope.nearest(to: mention.name, among: scope.fields.ordered)
            throw ParseError(
                mention.range, "no line sets a field `\(mention.name)`",
                hint: (nearest.map { "did you mean `\($0)`? " } ?? "")
                    + "built-in fields are "
                    + ScenarioLine.enumeration(ScenarioField.builtIn, "and"))
        }
    }

    /// Whether the line has a relay do or suffer only what relays do.
    private func checkRelays(_ line: ScenarioLine, _ step: Step) throws(ParseError) {
        func range(_ name: String) -> Range<Int> {
            (line.tokens.first { $0.isWord(name) } ?? line.tokens[0]).range
        }
        if let name = step.event.family.relay, !scope.relays.contains(name),
            !scope.unread.contains(name)
        {
            throw ParseError(
                range(name), "`\(name)` is no relay",
                hint: "declare a relay with `relay NAME`, in place of `device NAME`")
        }
        if scope.relays.isEmpty { return }
        guard let (name, hint) = step.event.unfitRelay(among: scope.relays) else { return }
        throw ParseError(range(name), "`\(name)` is a relay", hint: hint)
    }

    private func checkItem(
        _ mention: ScenarioLine.Mention, _ nobody: String, or otherwise: String
    ) throws(ParseError) {
        let name = mention.name
        if scope.items.contains(name) || scope.unread.contains(name) { return }
        let nearest = ScenarioScope.nearest(to: name, among: scope.items.ordered)
        let hint = nearest.map { "did you mean `\($0)`? Or " } ?? ""
        throw ParseError(
            mention.range, "\(nobody) creates `\(name)`",
            hint: hint + "create it with `… creates \(name)`, or \(otherwise)")
    }

    /// Items that values refer to may be created later, but some line must do it.
    private mutating func checkReferences() {
        if scope.isLenient { return }
        for reference in references {
            do throws(ParseError) {
                try checkItem(reference.mention, "no line", or: "write `lenient`")
            } catch {
                note(error, reference.line, reference.scalars)
                if isCutShort { return }
            }
        }
    }

    /// Devices that are spoken of before they come into the world are not unknown, but too late.
    private mutating func checkOrder() {
        for (fault, name) in unknownDevices {
            guard let line = deviceLines[name] else { continue }
            faults[fault].message = "`\(name)` comes into the world only later, in line \(line)"
            faults[fault].hint =
                "put `devices` before the first action, and what makes a copy before what it does"
        }
    }

    /// Whether somebody is there whom anything can happen to.
    private mutating func checkDevices() {
        guard faults.isEmpty, !scenario.devices.contains(where: { !$0.isRelay }) else { return }
        let position = scenario.steps.first?.position ?? Position(line: 1, column: 1)
        var fault = ScenarioFault(
            line: position.line, of: [],
            ParseError(
                0..<0, "the scenario has no devices",
                hint: "begin with the names of some: `devices laptop and phone`"))
        fault.position.column = position.column
        faults.append(fault)
    }
}

/// The names that a scenario has made known so far.
///
/// One object, since a copy that a line keeps would have every new name copy all of them.
final class ScenarioScope {
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
    /// The devices that are relays.
    var relays: Set<String> = []
    var items = Names()
    var backups = Names()
    var fields = Names()
    /// Every word of a line that could not be read: what it was to make known is unknown, and the
    /// lines after it are not to blame.
    var unread: Set<String> = []
    /// Whether items need not be known.
    var isLenient = false

    /// The name that was probably meant.
    ///
    /// Only so many are compared, since a scenario may know very many.
    static func nearest(to word: String, among names: [String]) -> String? {
        Spelling.suggestion(for: word, among: Array(names.prefix(1_000)))
    }

    /// Takes in every word of a line that could not be read.
    func noteUnread(_ scalars: [Unicode.Scalar]) {
        for word in scalars.split(whereSeparator: { !ScenarioText.continuesName($0) }) {
            var name = String.UnicodeScalarView()
            name.append(contentsOf: word)
            unread.insert(String(name))
        }
    }
}
