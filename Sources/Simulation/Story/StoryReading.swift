/// A text on its way to a story.
struct StoryReading {
    /// An item that is referred to, by a line that is kept for a fault.
    private struct Reference {
        let mention: StoryLine.Mention
        let line: Int
        let scalars: [Unicode.Scalar]
    }

    private(set) var story = Story()
    private(set) var faults: [StoryFault] = []
    private(set) var isCutShort = false
    private let scope = StoryScope()
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
        guard text.utf8.count <= StoryLimits.textByteCountMax else {
            note(
                StorySlip(
                    0..<0, "the text is too long",
                    hint: "a story has at most \(StoryLimits.textByteCountMax) bytes"), 1, [])
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
                if length <= StoryLimits.lineLengthMax { line.append(scalar) }
            }
        }
        read(line, length, number)
        checkReferences()
        checkOrder()
        checkDevices()
    }

    private mutating func read(_ scalars: [Unicode.Scalar], _ length: Int, _ number: Int) {
        if length == 0 { return }
        do throws(StorySlip) {
            if length > StoryLimits.lineLengthMax {
                throw StorySlip(
                    scalars.count..<scalars.count, "the line is too long",
                    hint: "a line has at most \(StoryLimits.lineLengthMax) characters")
            }
            var line = try StoryLine(scalars, scope)
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
            scope.doubt(scalars)
            note(error, number, scalars)
        }
    }

    private mutating func note(_ slip: StorySlip, _ line: Int, _ scalars: [Unicode.Scalar]) {
        if faults.count == StoryLimits.faultCountMax {
            isCutShort = true
        } else {
            if let name = slip.unknownDevice { unknownDevices.append((faults.count, name)) }
            faults.append(StoryFault(line: line, of: scalars, slip))
        }
    }

    private mutating func addDevices(of line: StoryLine, _ number: Int) {
        for mention in line.newDevices {
            scope.devices.insert(mention.name)
            deviceLines[mention.name] = number
        }
    }

    // MARK: Headings

    private mutating func add(
        _ heading: StoryMeaning, _ first: StoryToken, _ number: Int
    ) throws(StorySlip) {
        let word = first.word ?? ""
        if let firstActionLine {
            throw StorySlip(
                first.range, "`\(word)` comes too late",
                hint: "headings stand before the first action, which is in line \(firstActionLine)")
        }
        if case .devices(let devices) = heading {
            story.devices += devices
            return
        }
        if let line = headingLines.updateValue(number, forKey: word) {
            throw StorySlip(
                first.range, "`\(word)` is given twice", hint: "the first one is in line \(line)")
        }
        switch heading {
        case .title(let title): story.title = title
        case .policy(let policy): story.policy = policy
        case .seed(let seed): story.seed = seed
        case .lenient:
            story.isLenient = true
            scope.isLenient = true
        case .meetingOnlyAtRelays: story.meetsOnlyAtRelays = true
        case .plain: story.isPlain = true
        case .brake(let count): story.brakeCount = count
        case .devices, .action, .claim: break
        }
    }

    // MARK: Steps

    private mutating func add(
        _ step: Step, _ line: StoryLine, _ number: Int, _ scalars: [Unicode.Scalar]
    ) throws(StorySlip) {
        if story.steps.count == StoryLimits.stepCountMax {
            isCutShort = true
            throw StorySlip(
                line.tokens[0].range, "the story is too long",
                hint: "a story has at most \(StoryLimits.stepCountMax) steps")
        }
        if firstActionLine == nil { firstActionLine = number }
        story.steps.append(step)
        addDevices(of: line, number)
        line.newItems.forEach { scope.items.insert($0.name) }
        line.newBackups.forEach { scope.backups.insert($0.name) }
        line.setFields.forEach { scope.fields.insert($0.name) }
        for mention in line.references where !scope.items.contains(mention.name) {
            references.append(Reference(mention: mention, line: number, scalars: scalars))
        }
    }

    /// Whether what the line speaks of is known.
    private func check(_ line: StoryLine, _ step: Step) throws(StorySlip) {
        if case .delay(_, _, let least, let most) = step.action, least > most {
            throw StorySlip(
                line.tokens[0].range, "the shortest delay is longer than the longest",
                hint: "write the shorter time first")
        }
        // That a device calls itself and is refused may well be what a story is about.
        if step.refusal == nil, !scope.isLenient, let name = step.action.selfMet {
            let mentions = line.tokens.filter { $0.isWord(name) }
            throw StorySlip(
                (mentions.last ?? line.tokens[0]).range, "`\(name)` is named at both ends",
                hint: "this takes two devices, such as `laptop` and `phone`")
        }
        try checkRelays(line, step)
        if scope.isLenient || step.refusal != nil { return }
        var foreseeing = "foresee `but is refused: missing`"
        if case .expect(let expectation) = step.action {
            if case .holds(_, .missing) = expectation.claim { return }
            foreseeing = "expect it to be `missing`"
        }
        for mention in line.usedItems {
            try checkItem(mention, "no earlier line", or: foreseeing)
        }
        for mention in line.expectedFields
        where !scope.fields.contains(mention.name) && !scope.doubtful.contains(mention.name) {
            let nearest = StoryScope.nearest(to: mention.name, among: scope.fields.ordered)
            throw StorySlip(
                mention.range, "no line sets a field `\(mention.name)`",
                hint: (nearest.map { "did you mean `\($0)`? " } ?? "")
                    + "built-in fields are " + StoryLine.enumeration(StoryField.builtIn, "and"))
        }
    }

    /// Whether the line has a relay do or suffer only what relays do.
    private func checkRelays(_ line: StoryLine, _ step: Step) throws(StorySlip) {
        func range(_ name: String) -> Range<Int> {
            (line.tokens.first { $0.isWord(name) } ?? line.tokens[0]).range
        }
        if let name = step.action.relay, !scope.relays.contains(name),
            !scope.doubtful.contains(name)
        {
            throw StorySlip(
                range(name), "`\(name)` is no relay",
                hint: "declare a relay with `relay NAME`, in place of `device NAME`")
        }
        if scope.relays.isEmpty { return }
        guard let (name, hint) = step.action.unfitRelay(among: scope.relays) else { return }
        throw StorySlip(range(name), "`\(name)` is a relay", hint: hint)
    }

    private func checkItem(
        _ mention: StoryLine.Mention, _ nobody: String, or otherwise: String
    ) throws(StorySlip) {
        let name = mention.name
        if scope.items.contains(name) || scope.doubtful.contains(name) { return }
        let nearest = StoryScope.nearest(to: name, among: scope.items.ordered)
        let hint = nearest.map { "did you mean `\($0)`? Or " } ?? ""
        throw StorySlip(
            mention.range, "\(nobody) creates `\(name)`",
            hint: hint + "create it with `… creates \(name)`, or \(otherwise)")
    }

    /// Items that values refer to may be created later, but some line must do it.
    private mutating func checkReferences() {
        if scope.isLenient { return }
        for reference in references {
            do throws(StorySlip) {
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
        guard faults.isEmpty, !story.devices.contains(where: { !$0.isRelay }) else { return }
        let position = story.steps.first?.position ?? Position(line: 1, column: 1)
        var fault = StoryFault(
            line: position.line, of: [],
            StorySlip(
                0..<0, "the story has no devices",
                hint: "begin with the names of some: `devices laptop and phone`"))
        fault.position.column = position.column
        faults.append(fault)
    }
}
