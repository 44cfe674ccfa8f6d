import Glibc
import Settings
import Testing
import ToDo

@Suite("Files of settings")
struct UserSettingsTests {
    private func split(_ line: String) -> [String]? {
        line.contains("\"") ? nil : line.split(separator: " ").map { String($0) }
    }

    private func settings(
        _ text: String, _ environment: [String: String] = [:]
    ) throws(UserSettingsFault) -> UserSettings {
        try UserSettings(
            file: ("config", text), environment: { environment[$0] }, split: split)
    }

    private func problems(
        _ text: String, _ environment: [String: String] = [:]
    ) -> [UserSettingProblem] {
        do throws(UserSettingsFault) {
            _ = try settings(text, environment)
        } catch .problems(let problems) {
            return problems
        } catch {
            Issue.record(error)
        }
        return []
    }

    // MARK: Lines

    @Test(
        "a setting that is changed leaves every other line, its blanks and its remark as they were")
    func changedLine() {
        var text = SettingText(
            "# mine\n\nweek-start=monday   # not sunday\n  a.b =  c d\t# e\nlast = 1")
        text.set("week-start", to: "friday")
        text.set("a.b", to: "#1 2#3")
        text.set("new", to: "x")
        #expect(
            text.text
                == "# mine\n\nweek-start=friday   # not sunday\n  a.b =  #1 2#3\t# e\nlast = 1\nnew = x\n"
        )
    }

    @Test(
        "an empty value that is set gets the blank that a person would write, and keeps its remark")
    func emptyValue() {
        var text = SettingText("a =\nb =# c\n")
        text.set("a", to: "1")
        text.set("b", to: "2")
        #expect(text.text == "a = 1\nb = 2 # c\n")
    }

    @Test("a removed setting leaves the other lines, and one that is set twice goes twice")
    func removedLine() {
        var text = SettingText("a = 1\n# a = 2\nb = 3\n a=4\n")
        let isRemoved = text.remove("a")
        #expect(isRemoved && text.text == "# a = 2\nb = 3\n")
        let isAgain = text.remove("a")
        #expect(!isAgain)
    }

    @Test("lines that end with carriage return and line feed are lines")
    func carriageReturns() {
        var text = SettingText("a = 1\r\nb = 2 # c\r\n")
        #expect(text.contents.entries.map(\.value) == ["1", "2"])
        #expect(text.contents.entries.map(\.line) == [1, 2])
        text.set("a", to: "3")
        #expect(text.text == "a = 3\r\nb = 2 # c\r\n")
    }

    @Test(
        "a value that a line cannot give back is none that can be written",
        arguments: [
            ("list +work", true), ("a#b", true), ("a=b", true), (" a", false), ("a #b", false),
            ("# a", false), ("a\nb = 1", false), ("", true), ("a\r\nb", false),
        ])
    func unwritable(value: String, canHold: Bool) {
        #expect(SettingText.canHold(value) == canHold)
    }

    // MARK: Settings

    @Test("a file that sets nothing gives the defaults, and names where they come from")
    func defaults() throws {
        let settings = try settings("# nothing\n")
        #expect(settings.weekStart == nil && settings.dateOrder == nil)
        #expect(settings.listGrouping == .urgency && settings.listLimit == 500)
        #expect(settings.colour == .auto)
        #expect(settings.style("heading") == nil && settings["colour.heading"].text == "bold")
        #expect(try self.settings("colour.heading = none").style("heading") == "")
        #expect(settings["list.by"] == .init(text: "urgency", origin: .standard))
    }

    @Test("the file overrides the defaults, and the environment the file")
    func order() throws {
        let text = "week-start = sun\ndate-order = month-day\nlist.limit = 0\ncolour = on\n"
        let file = try settings(text)
        #expect(file.weekStart == .sunday && file.dateOrder == .monthDay)
        #expect(file.listLimit == nil && file.colour == .on)
        #expect(file["week-start"].origin == .file("config", line: 1))
        let both = try settings(text, ["TANDEM_WEEK_START": "tuesday", "NO_COLOR": "1"])
        #expect(both.weekStart == .tuesday && both.colour == .off)
        #expect(both["colour"].origin == .environment("NO_COLOR"))
        let empty = try settings(text, ["TANDEM_WEEK_START": "", "NO_COLOR": ""])
        #expect(empty.weekStart == .sunday && empty.colour == .on)
    }

    @Test("everything that is wrong in a file is told at once, with its line and its cause")
    func wrong() {
        let text = """
            week-start = 1
            date_order = day-month
            list.limit = -1
            nothing
            list.limit = 3
            alias.a b = list
            alias.q = list "x
            list.filter = due.before:someotherday
            colour.urgent = reddish
            """
        let found = problems(text)
        let causes = Dictionary(
            found.map { ($0.source, $0.cause) }.map { source, cause in
                if case .line(_, let line) = source { (line, cause) } else { (0, cause) }
            }, uniquingKeysWith: { first, _ in first })
        #expect(causes.count == 9)
        #expect(causes[1] == .badValue("1", .weekday))
        #expect(causes[2] == .unknown(near: "date-order"))
        #expect(causes[3] == .badValue("-1", .number(0...1_000_000)))
        #expect(causes[4] == .noSign)
        #expect(causes[5] == .twice(firstLine: 3))
        #expect(causes[6] == .badAliasName)
        #expect(causes[7] == .openQuote("list \"x"))
        if case .badFilter? = causes[8] {} else { Issue.record("\(causes[8] as Any)") }
        #expect(causes[9] == .badValue("reddish", .style))
    }

    @Test("a name that no setting has is told, and the other lines hold")
    func unknownNames() throws {
        let settings = try settings("list.limit = 3\nnewer = 1\nalias.a b = list\nlist.by = day\n")
        #expect(settings.listLimit == 3 && settings.listGrouping == .day)
        #expect(
            settings.unknown == [
                UserSettingProblem(.line("config", 2), "newer", .unknown(near: nil)),
                UserSettingProblem(.line("config", 3), "alias.a b", .badAliasName),
            ])
    }

    @Test("a value of the environment that cannot be used is told with the name of its variable")
    func wrongVariable() {
        let found = problems("", ["TANDEM_WEEK_START": "x"])
        #expect(found.map(\.source) == [.variable("TANDEM_WEEK_START")])
    }

    @Test("an alias has a name that can be typed, of 64 bytes at most")
    func aliasNames() {
        let longest = String(repeating: "a", count: UserSetting.aliasByteCountMax)
        #expect(UserSetting.aliasWord(of: "alias." + longest) == longest)
        for word in [longest + "a", "", "-a", "+a", "a b", "a=b", "a#b", "a:b"] {
            #expect(UserSetting.aliasWord(of: "alias." + word) == nil, "\(word)")
        }
        #expect(UserSetting.aliasWord(of: "alias.été") == "été")
    }

    @Test("an alias stands for its words and may begin with another one, but hides no command")
    func aliases() throws {
        let settings = try settings(
            "alias.w = list +work\nalias.u = w due:today\nalias.list = log\n")
        func line(_ words: String...) throws -> [String] {
            try settings.expanded(words) { $0 == "list" }
        }
        #expect(try line("w", "-x") == ["list", "+work", "-x"])
        #expect(try line("u") == ["list", "+work", "due:today"])
        #expect(try line("list", "w") == ["list", "w"])
        #expect(try line("other") == ["other"])
        #expect(try line() == [])
    }

    @Test("aliases that stand for each other are refused with the way round")
    func aliasLoop() throws {
        let settings = try settings("alias.a = b\nalias.b = c 1\nalias.c = a\nalias.self = self\n")
        for (word, way) in [("a", ["a", "b", "c", "a"]), ("self", ["self", "self"])] {
            do throws(UserSettingsFault) {
                _ = try settings.expanded([word]) { _ in false }
                Issue.record("no end was found")
            } catch .aliasLoop(let words) {
                #expect(words == way)
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test(
        "a style is none or known words",
        arguments: [
            ("none", ""), ("bold red", "1;31"), ("bright-blue underline", "94;4"), ("", nil),
            ("none red", nil), ("31", nil),
        ])
    func styles(text: String, codes: String?) {
        #expect(TextStyle.codes(text) == codes)
    }
}

@Suite("The file of settings on a machine")
struct UserSettingsFileTests {
    private let world: ToDoWorld

    init() throws { world = try ToDoWorld(zone: .utc) }

    private func file(_ environment: [String: String]) throws -> UserSettingsFile {
        try #require(UserSettingsFile { environment[$0] })
    }

    private func words(_ line: String) -> [String]? { line.split(separator: " ").map(String.init) }

    private func bytes(_ path: String) throws -> String {
        let stream = try #require(fopen(path, "r"))
        defer { fclose(stream) }
        var buffer = [UInt8](repeating: 0, count: 1 << 17)
        return String(decoding: buffer[..<fread(&buffer, 1, buffer.count, stream)], as: UTF8.self)
    }

    private func write(_ text: String, to path: String) throws {
        let stream = try #require(fopen(path, "w"))
        fputs(text, stream)
        fclose(stream)
    }

    @Test("the file is that of TANDEM_CONFIG, else that of XDG_CONFIG_HOME, else that of HOME")
    func places() throws {
        let home = ["HOME": "/home/a"]
        #expect(try file(home).path == "/home/a/.config/tandem/config")
        let folder = home.merging(["XDG_CONFIG_HOME": "/c"]) { $1 }
        #expect(try file(folder).path == "/c/tandem/config")
        #expect(try file(folder.merging(["TANDEM_CONFIG": "f"]) { $1 }).path == "f")
        // The XDG base directories say that a relative path is to be ignored.
        #expect(
            try file(["HOME": "/h", "XDG_CONFIG_HOME": "c"]).path == "/h/.config/tandem/config")
        #expect(UserSettingsFile { _ in nil } == nil)
    }

    @Test("the first setting makes folder and file, and later ones change their line")
    func writing() throws {
        let file = try file(["XDG_CONFIG_HOME": world.folder + "/a/b"])
        #expect(try file.text() == nil)
        #expect(try file.set("list.limit", to: "3", split: words))
        #expect(try !file.set("list.limit", to: "3", split: words))
        try write("# by hand\n" + (try #require(try file.text())), to: file.path)
        #expect(try file.set("list.limit", to: "4", split: words))
        #expect(try file.set("alias.w", to: "list +work", split: words))
        #expect(try bytes(file.path) == "# by hand\nlist.limit = 4\nalias.w = list +work\n")
        #expect(try file.set("list.limit", to: nil, split: words))
        #expect(try !file.set("list.limit", to: nil, split: words))
        #expect(try bytes(file.path) == "# by hand\nalias.w = list +work\n")
    }

    @Test("a link to the file stays one, and the file keeps its mode")
    func links() throws {
        let (link, target) = (world.folder + "/link", world.folder + "/target")
        try write("# here\n", to: target)
        chmod(target, 0o640)
        symlink(target, link)
        #expect(try file(["TANDEM_CONFIG": link]).set("colour", to: "off", split: words))
        #expect(try bytes(target) == "# here\ncolour = off\n")
        var status = stat()
        #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(stat(target, &status) == 0 && status.st_mode & 0o777 == 0o640)
    }

    @Test("a value that is refused leaves the file as it was")
    func refused() throws {
        let path = world.folder + "/config"
        try write("a strange line\n", to: path)
        let file = try file(["TANDEM_CONFIG": path])
        for (name, value) in [
            ("colour", "blue"), ("unknown", "1"), ("alias.w", "list a\nb"), ("alias.w", "list #b"),
        ] {
            #expect(throws: UserSettingsFault.self) {
                _ = try file.set(name, to: value, split: words)
            }
        }
        #expect(try bytes(path) == "a strange line\n")
    }

    @Test("a file of 65,536 bytes is read, and one of a byte more is refused")
    func longest() throws {
        let path = world.folder + "/config"
        let file = try file(["TANDEM_CONFIG": path])
        let count = UserSettingsFile.byteCountMax
        #expect(count == 65_536)
        try write(String(repeating: "#", count: count), to: path)
        #expect(try file.text()?.utf8.count == count)
        #expect(throws: UserSettingsFault.self) {
            _ = try file.set("colour", to: "on", split: words)
        }
        try write(String(repeating: "#", count: count + 1), to: path)
        #expect { _ = try file.text() } throws: { error in
            if case UserSettingsFault.tooLong(let found) = error { found == path } else { false }
        }
    }

    @Test(
        "what is no file of text is refused at once: a folder, a pipe, bytes, nothing where one is named"
    )
    func noFile() throws {
        let folder = world.folder
        func fault(_ path: String) throws -> String {
            let file = try file(["TANDEM_CONFIG": path])
            do throws(UserSettingsFault) {
                _ = try file.text()
            } catch {
                return "\(error)".split(separator: "(").first.map { String($0) } ?? ""
            }
            return "none"
        }
        #expect(try fault(folder) == "notFile")
        mkfifo(folder + "/pipe", 0o600)
        #expect(try fault(folder + "/pipe") == "notFile")
        let stream = try #require(fopen(folder + "/bytes", "w"))
        fputc(0xff, stream)
        fclose(stream)
        #expect(try fault(folder + "/bytes") == "notText")
        #expect(try fault(folder + "/none") == "missing")
        #expect(try fault("/dev/null") == "none")
    }
}
