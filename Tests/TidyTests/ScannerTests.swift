import Testing

/// Each scanner finds a planted violation, at its line, and lets the lawful twin pass.
@Suite("Scanners of the house rules")
struct ScannerTests {
    private func file(
        _ text: String, at path: String = "Sources/Core/Messages/Sample.swift"
    )
        -> SourceFile
    {
        SourceFile(path: path, text: text)
    }

    // MARK: Splitting

    @Test("words in comments and literals are not code")
    func channelsAreApart() {
        let text = file(
            """
            let a = "print(" // try!
            /* outer /* inner */ still */ let b = #"raw " quote"#
            let c = "x \\(call("y")) z"
            """
        ).swift
        #expect(text.code[0] == "let a = \"      \"        ")
        #expect(text.comments[0].trimmed == "// try!")
        #expect(text.code[1].trimmed == "let b = #\"           \"#")
        #expect(text.code[2].names == ["let", "c", "call"])
        #expect(text.uncommented[0].trimmed == "let a = \"print(\"")
    }

    @Test("literals of several lines end where they end")
    func longLiterals() {
        let quotes = "\"\"\""
        let text = file("let a = \(quotes)\n  \"try!\" {\n  \(quotes)\nlet b = 1").swift
        #expect(text.code[1].trimmed.isEmpty)
        #expect(text.code[3] == "let b = 1")
    }

    @Test("a phrase is found only where it stands on its own")
    func phrases() {
        #expect("x = Date()".containsPhrase("Date()"))
        #expect(!"x = ValiDate()".containsPhrase("Date()"))
        #expect("Int.random(in: 1...6)".containsPhrase(".random("))
        #expect(!"fingerprint(of: x)".containsPhrase("print("))
        #expect(!"VTODO".containsPhrase("TODO"))
    }

    // MARK: Messages

    @Test(
        "a comparison with the text of a message is found",
        arguments: [
            "if reason == \"the disk is full\" {}", "case \"was not found\": break",
            "text.contains(\"no such file\")", "words.hasPrefix(\n\"cannot open\")",
            "if error.message == other {}", "fault.description.contains(word)",
        ])
    func plantedComparisons(text: String) {
        #expect(SentenceRules.findings(in: file(text, at: "Tools/tandem/Sample.swift")).count == 1)
    }

    @Test(
        "codes, keys and words of one's own are compared",
        arguments: [
            "if reason == .diskFull {}", "case .missing: \"was not found\"",
            "text.contains(\"key\")", "let a = \"the disk is full\"", "if error.reason == other {}",
            "// if reason == \"the disk is full\"",
        ])
    func lawfulComparisons(text: String) {
        #expect(SentenceRules.findings(in: file(text, at: "Tools/tandem/Sample.swift")).isEmpty)
    }

    // MARK: Words

    @Test(
        "a planted word is found on the lower floors",
        arguments: [
            "let now = Date()", "let clock = ContinuousClock()", "let x = Int.random(in: 0...1)",
            "list.shuffled()", "Task { await go() }", "try await Task.sleep(for: x)",
            "print(x)", "getenv(name)", "import Dispatch", "let x = try! load()",
        ])
    func plantedWords(line: String) {
        let findings = WordRules.findings(in: file("\n" + line))
        #expect(findings.map(\.line) == [2], "\(findings)")
        #expect(WordRules.findings(in: file("// " + line)).isEmpty)
    }

    @Test("what uses a given generator, and what Shell says, passes")
    func lawfulWords() {
        #expect(WordRules.findings(in: file("list.shuffled(using: &generator)")).isEmpty)
        let shell = file("let now = ContinuousClock.now", at: "Sources/Devices/A.swift")
        #expect(WordRules.findings(in: shell).isEmpty)
    }

    @Test(
        "work put off in a comment is found, in a literal not",
        arguments: ["TO" + "DO", "FIX" + "ME"])
    func postponedWork(word: String) {
        #expect(WordRules.findings(in: file("let a = 1  // \(word): later")).count == 1)
        #expect(WordRules.findings(in: file("let a = \"\(word)\"")).isEmpty)
    }

    @Test("a command in a literal is found; in code, a comment or another text it is not")
    func plantedCommands() {
        let commands: Set = ["sync", "accept-deletes"]
        for text in [
            "let a = \"run: tandem sync\"", "let a = \"type `tandem accept-deletes` there\"",
            "let a = \"\\(b); tandem sync \\(c)\"", "let a = \"\"\"\n  tandem sync\n  \"\"\"",
        ] {
            #expect(
                WordRules.commandFindings(in: file(text), commands: commands).count == 1, "\(text)")
        }
        for text in [
            "// tandem sync", "tandem.sync()", "let a = \"tandem_sync\"",
            "let a = \"tandem change 1\"", "let a = \"sync\"",
        ] {
            #expect(
                WordRules.commandFindings(in: file(text), commands: commands).isEmpty, "\(text)")
        }
        let command = file("    static let name = \"accept-deletes\"\n    static let other = \"x\"")
        #expect(WordRules.commandNames(in: [command]) == ["accept-deletes"])
    }

    @Test("a text that speaks of the reader is found, also over a line; code and comments are not")
    func readers() {
        let found = file("let a = \"The reader is full\"\nlet b = \"asks the \"\n  + \"reader\"")
        #expect(WordRules.readerFindings(in: found).map(\.line) == [1, 2])
        let lawful = file("/// The reader.\nlet a = the(reader)\nlet b = \"the spreader\"")
        #expect(WordRules.readerFindings(in: lawful).isEmpty)
    }

    @Test("a comment line that begins with a pronoun is found, in the middle of a line not")
    func pronounsFirst() {
        let found = file("/// What it was.\nlet a = 1  // Who it is\n/* \n*/\n    // Those of them")
        #expect(WordRules.openingFindings(in: found).map(\.line) == [1, 2, 5])
        let lawful = file("/// The change that was made. What follows is none.\n/// Whatever")
        #expect(WordRules.openingFindings(in: lawful).isEmpty)
    }

    // MARK: Imports

    @Test("imports are read with access, attributes and kinds")
    func importForms() {
        let sample = file(
            "package import Core\n@_spi(_Unicode) import Swift\nimport struct Core.Value")
        #expect(ImportRules.imports(in: sample).map(\.module) == ["Core", "Swift", "Core"])
    }

    @Test("a module that looks up a floor is found")
    func plantedImport() {
        let findings = ImportRules.floorFindings(
            in: file("import Core\nimport Session", at: "Sources/Storage/A.swift"))
        #expect(findings.map(\.line) == [2])
        #expect(!findings.listed.isEmpty)
    }

    @Test(
        "a store that is named where Device and ToDoStore are to be called is found",
        arguments: [
            "let news = try context.todos.store.news(after: 1)", "private let store: Store",
            "let found = device.store", "transaction: Transaction", "FetchRequest(collection)",
            "device.store.close()", "try store.edit { }",
        ])
    func plantedStore(line: String) {
        #expect(
            CallerRules.findings(in: file("\n" + line, at: "Sources/Page/A.swift"))
                .allSatisfy { $0.line == 2 })
        #expect(!CallerRules.findings(in: file(line, at: "Sources/Page/A.swift")).isEmpty)
    }

    @Test(
        "a type of the engine and a called store are found in the command, a store that is handed on is not"
    )
    func storesOfCommands() {
        func count(_ line: String) -> Int {
            CallerRules.commandFindings(in: file(line, at: "Tools/tandem/A.swift")).count
        }
        for line in [
            "let store: Store", "var session: SyncSession?", "device.store.close()",
            "Store.Snapshot.self", "FetchRequest(collection)",
        ] {
            #expect(count(line) == 1, "\(line)")
        }
        for line in [
            "ToDoStore(store: device.store, now: now)", "// device.store.close()",
            "throw .store(fault)", "let text = \"Store\"", "ReminderSchedule(device.store)",
        ] {
            #expect(count(line) == 0, "\(line)")
        }
    }

    @Test("a store that is handed to a ToDoStore passes, and words about stores do")
    func lawfulStores() {
        let code = """
            todos = ToDoStore(
                store: gateway.device.store, now: now)
            // the store
            let text = "store"
            """
        #expect(CallerRules.findings(in: file(code, at: "Sources/CalDAV/A.swift")).isEmpty)
    }

    @Test("a folder of Core that names a type of one beside or above it is found")
    func foldersLookUp() {
        let hello = file(
            "struct Hello {}\nlet merge: RecordMerge?", at: "Sources/Core/Messages/A.swift")
        let merge = file("enum RecordMerge {}", at: "Sources/Core/Merge/B.swift")
        let lawful = [hello, merge]
        #expect(FolderRules.coreFindings(in: lawful).isEmpty)
        let lower = file(
            "// Hello\nlet text = \"Hello\"\nlet hello: Hello?", at: "Sources/Core/Records/C.swift")
        #expect(FolderRules.coreFindings(in: lawful + [lower]).map(\.line) == [3])
        let sibling = file("let merge: RecordMerge?", at: "Sources/Core/CBOR/D.swift")
        #expect(FolderRules.coreFindings(in: lawful + [sibling]).map(\.line) == [1])
        let stray = file("let a = 1", at: "Sources/Core/Elsewhere/E.swift")
        #expect(FolderRules.coreFindings(in: lawful + [stray]).count == 1)
    }

    @Test("the Unicode door is open to Core/Records alone")
    func unicodeDoor() {
        let line = "@_spi(_Unicode) import Swift"
        #expect(
            ImportRules.floorFindings(in: file(line, at: "Sources/Core/Records/A.swift")).isEmpty)
        #expect(ImportRules.floorFindings(in: file(line)).count == 1)
    }

    @Test("the manifest's helpers and plain targets are both read")
    func manifestForms() {
        let manifest = Manifest(
            text: """
                func module(_ name: String) -> Target {
                    .target(name: name, dependencies: dependencies)
                }
                module("Core"),  // tool("hidden", on: [])
                module("Storage", on: ["Core", "CSQLite"]),
                .target(name: "ToDo", dependencies: ["Storage"], path: "Sources/ToDo"),
                tool("bench", on: ["Session"]),
                tests(of: "Session", on: ["Session", "TestSupport"]),
                """)
        #expect(
            manifest.dependencies == [
                "Core": [], "Storage": ["Core", "CSQLite"], "ToDo": ["Storage"],
                "bench": ["Session"], "SessionTests": ["Session", "TestSupport"],
            ])
    }

    @Test("an import that the manifest does not declare is found")
    func undeclaredImport() {
        let manifest = Manifest(text: "module(\"Core\", on: [\"CLinux\"])")
        let sample = file("import CLinux\nimport CSQLite\nimport Glibc")
        #expect(
            ImportRules.manifestFindings(in: sample, manifest: manifest).map(\.line) == [2])
    }

    @Test("a manifest that lets a floor look up is found")
    func manifestAgainstFloors() {
        let manifest = Manifest(text: "module(\"Core\", on: [\"Storage\"])")
        let findings = ImportRules.manifestFindings(manifest).filter {
            $0.rule.hasPrefix("Core depends")
        }
        #expect(findings.count == 1)
    }

    // MARK: Sizes

    @Test("a file one line too long is found, at the limit not")
    func longFile() {
        let most = SizeRules.fileLinesMax
        let atLimit = String(repeating: "//\n", count: most)
        #expect(SizeRules.findings(in: file(atLimit)).isEmpty)
        #expect(SizeRules.findings(in: file(atLimit + "//\n")).count == 1)
    }

    @Test("a function one line too long is found, at the limit not")
    func longFunction() {
        let inside = SizeRules.functionLinesMax - 2
        func sample(_ count: Int) -> SourceFile {
            let body = String(repeating: "    go(\"{\") // }\n", count: count)
            return file("func a(\n_ b: () -> Void = {}) {\n\(body)}\nfunc c() {}\n")
        }
        #expect(SizeRules.findings(in: sample(inside - 1)).isEmpty)
        #expect(SizeRules.findings(in: sample(inside)).map(\.line) == [1])
    }

    @Test("functions, initialisers and subscripts are measured, requirements are not")
    func functionForms() {
        let sample = file(
            """
            protocol P {
                func requirement() -> Int
                func other()
            }
            struct S: P {
                package init?(a: Int) {
                    self.init()
                }
                @inlinable package static func == (a: S, b: S) -> Bool { true }
                subscript(index: Int) -> Int {
                    0
                }
                deinit { }
                let initial = 1
            }
            """)
        let functions = SizeRules.functions(in: sample)
        #expect(functions.map(\.name) == ["init", "==", "subscript", "deinit"])
        #expect(functions.map(\.lineCount) == [3, 1, 3, 1])
    }

    @Test("a file of a few lines without a reason is found, with one or with more lines not")
    func loneFiles() {
        let few = "struct A {}\n"
        #expect(SizeRules.loneFileFindings(in: file(few)).count == 1)
        #expect(SizeRules.loneFileFindings(in: file("/// A type.\n" + few)).count == 1)
        #expect(SizeRules.loneFileFindings(in: file("// Each command has a file.\n" + few)).isEmpty)
        let more = String(repeating: "//\n", count: SizeRules.fileLinesMin)
        #expect(SizeRules.loneFileFindings(in: file(more)).isEmpty)
    }

    @Test(
        "a type name at the top of two files is found, nested, excepted or written twice in one not"
    )
    func doubledTypes() {
        let one = file("struct A {\n    struct B {}\n}", at: "Sources/Core/A.swift")
        let two = file("enum A {}\nenum B {}", at: "Tools/tandem/A.swift")
        #expect(
            DeclarationRules.doubleFindings(in: [one, two], exceptions: [:]).map(\.line) == [1])
        #expect(DeclarationRules.doubleFindings(in: [one, two], exceptions: ["A": "why"]).isEmpty)
        let builds = file("#if A\nstruct A {}\n#else\nstruct A {}\n#endif")
        #expect(DeclarationRules.doubleFindings(in: [builds], exceptions: [:]).isEmpty)
    }

    // MARK: Declarations

    @Test(
        "an undocumented declaration is found",
        arguments: [
            "package struct A {", "package let a = 1", "public static func go() {",
            "package init(a: Int) {", "package subscript(a: Int) -> Int {",
            "@inlinable package mutating func go<T>(_ t: T) {", "package private(set) var a = 1",
            "package final class A {", "package enum A: Error {", "package typealias A = Int",
        ])
    func undocumented(line: String) {
        #expect(DeclarationRules.documentationFindings(in: file(line)).map(\.line) == [1])
        let documented = file("/// Says what.\n@usableFromInline\n" + line)
        #expect(DeclarationRules.documentationFindings(in: documented).isEmpty)
    }

    @Test(
        "what nobody else sees, or a protocol documents, needs no comment",
        arguments: [
            "struct A {", "private let package = 1", "package import Core",
            "package extension A {", "package static func < (a: A, b: A) -> Bool {",
            "package var description: String {", "open(package, let: 1)",
        ])
    func lawfulSilence(line: String) {
        #expect(DeclarationRules.documentationFindings(in: file(line)).isEmpty)
    }

    @Test("a lone type in a file of another name is found, several types share a topic's file")
    func typesAndFiles() {
        #expect(DeclarationRules.typeFindings(in: file("struct Other {}")).map(\.line) == [1])
        let two = file("struct One {\n    struct Nested {}\n}\nenum Second {}")
        #expect(DeclarationRules.typeFindings(in: two).isEmpty)
        let extending = "Sources/Core/Messages/Frame+Order.swift"
        #expect(
            DeclarationRules.typeFindings(in: file("extension Frame {\n}", at: extending)).isEmpty)
        #expect(
            DeclarationRules.typeFindings(in: file("struct Frame {}", at: extending)).count == 1)
    }

    @Test("a test file may keep private types beside its suite")
    func privateTypesInTests() {
        let text = "struct SampleTests {}\nprivate struct Row {}"
        let path = "Tests/CoreTests/SampleTests.swift"
        #expect(DeclarationRules.typeFindings(in: file(text, at: path)).isEmpty)
    }

    // MARK: Pages

    @Test("paths on a page are read out of prose, code and links")
    func pageTokens() {
        #expect(
            PageRules.tokens(in: "see `Sources/{Core,ToDo}`, [here](2-Session.md#phases).")
                == ["see", "Sources/Core", "Sources/ToDo", "here", "2-Session.md"])
        #expect(PageRules.programs(in: "swift run -c release bench --smoke") == ["bench"])
        #expect(PageRules.programs(in: "`swift build -c release --product tandem`") == ["tandem"])
    }

    @Test("a path or command that is not there is found, one that is there passes")
    func plantedPath() {
        let tree = SourceTree.shared
        func findings(_ line: String) -> [Finding] {
            PageRules.findings(
                in: SourceFile(path: "Protocol/9-Sample.md", text: line), tree: tree,
                targets: ["tandem"])
        }
        for line in [
            "Sources/Core/Nowhere", "run `./Tools/nothing`", "[x](../Protocol/0-Nothing.md)",
            "`Sources/Core/{Messages,Nowhere}`", "the file Nowhere.swift", "`swift run nothing`",
        ] {
            #expect(findings(line).count == 1, "\(line)")
        }
        for line in [
            "Sources/Core/Messages/", "run `./Tools/test --quick`.", "[x](../CHANGELOG.md)",
            "`Sources/{Core,Storage}`", "the file Package.swift", "`swift run tandem list`",
            "`Tests/TidyTests/*.swift`", "https://www.swift.org/install/linux/",
        ] {
            #expect(findings(line).isEmpty, "\(line): \(findings(line))")
        }
    }

    @Test("a walk with another count, and a file that is not on it, are found")
    func walkRules() {
        let measured = SourceFile(
            path: "docs/walks.md", text: "## Walk 1: 2 files\n\n- `A.swift`\n- `B.swift`")
        func lines(_ text: String) -> [Int] {
            let page = SourceFile(path: "ARCHITECTURE.md", text: "## Walk 1: a title\n" + text)
            return WalkRules.findings(in: page, measured: measured).map(\.line)
        }
        let stated = "2 files execute lines in this walk (`./Tools/walks`).\n"
        #expect(lines(stated + "| start | `A.swift`, `B.swift` |").isEmpty)
        #expect(lines(stated + "| start | `A.swift`, `C.swift` |") == [3])
        #expect(lines("3 files execute lines in this walk.") == [1])
        #expect(lines("| start | `A.swift` |") == [1])
    }

    // MARK: Capabilities

    @Test("a method of a device that other modules see is found, and that it has no case")
    func capabilityMethods() {
        let text = """
            package final class Device {
                package func rename(to name: String) {}
                @discardableResult
                package static func fly<T>(_ body: () -> T) -> T { func land() {} }
                func inner() {}
                private func own() {}
                struct Part {
                    package func deeper() {}
                }
                // package func commented() {}
            }
            public extension Device {
                func swim() {}
            }
            extension Other {
                package func walk() {}
            }
            """
        let device = file(text, at: "Sources/Devices/Device/Device.swift")
        #expect(CapabilityRules.methods(in: device).map(\.name) == ["rename", "fly", "swim"])
        #expect(CapabilityRules.missingFindings(in: device).map(\.line) == [4, 13])
    }

    @Test("a line of the table of capabilities is found that is of no method, or is not tested")
    func capabilityTable() {
        let methods = ["Device.rename", "Device.admit"].map {
            CapabilityRules.Method(type: $0.names[0], name: $0.names[1], line: 0)
        }
        func rules(_ scenario: String, _ library: String) -> [String] {
            CapabilityRules.tableFindings(
                methods, scenarios: file(scenario),
                calls: file("func rename()\nfunc admit()"),
                callers: ([file("a.rename() + a.admit()")], [file(library)])
            ).map(\.rule).filter {
                $0.hasPrefix("'Device.rename'") || $0.hasPrefix("'Device.admit'")
            }
        }
        #expect(rules("one.rename(), one.admit()", "own.rename(to: own.admit())").isEmpty)
        #expect(rules("one.rename()", "own.rename(to: own.admit())").count == 1)
        #expect(rules("one.rename(), one.admit()", "own.rename()").count == 1)
        let none = CapabilityRules.tableFindings(
            [], scenarios: file(""), calls: file(""), callers: ([], []))
        #expect(none.contains { $0.rule == "'Device.rename' has a case and is no method" })
        #expect(none.contains { $0.rule.hasPrefix("'Device.server' has a reason") })
    }

    // MARK: Words

    @Test("a count that is more than 5 % off is found, and a module without a row")
    func countRules() {
        let files = [
            file(String(repeating: "a\n", count: 100)),
            file("a\n", at: "Sources/Session/Sample.swift"),
        ]
        func rules(_ row: String) -> [String] {
            CountRules.findings(in: file(row, at: CountRules.page), files: files).map(\.rule)
        }
        let session = "\n| `Sources/Session` | – | – | – | – | 1 | 1 |"
        #expect(rules("| `Sources/Core` | – | – | – | – | 105 | 3 |" + session) == [])
        #expect(
            rules("| `Sources/Core` | – | – | – | – | 1,060 | 1 |" + session)
                == ["Sources/Core has 100 lines and 1 files"])
        #expect(
            rules("| `Sources/Core` | – | – | – | – | 100 | 4 |" + session)
                == ["Sources/Core has 100 lines and 1 files"])
        #expect(
            rules("| `Sources/Core` | – | – | – | – | 100 | 1 |") == ["Session has no row"])
    }

    @Test("camel-case names are parted, and a retired part is found")
    func retiredWords() {
        #expect(GlossaryRules.parts(of: "isTallyLost") == ["is", "tally", "lost"])
        #expect(GlossaryRules.parts(of: "JSONText") == ["jsontext"])
        #expect(GlossaryRules.retiredFindings(inCode: file("let tallyCount = 1")).count == 1)
        #expect(GlossaryRules.retiredFindings(inCode: file("// two tallies\nlet a = 1")).count == 1)
        #expect(GlossaryRules.retiredFindings(inCode: file("// in the place of a")).isEmpty)
        let page = SourceFile(path: "README.md", text: "A Tally of the story.")
        #expect(GlossaryRules.retiredFindings(onPage: page).count == 1)
    }

    @Test("a word that is retired in one folder is found there, and nowhere else")
    func locallyRetiredWords() {
        func count(_ text: String, _ path: String) -> Int {
            GlossaryRules.retiredFindings(inCode: file(text, at: path)).count
        }
        for text in ["let lastStatement = 1", "// two statements", "throw .bad(\"a statement\")"] {
            #expect(count(text, "Sources/Session/Sample.swift") == 1)
            #expect(count(text, "Sources/Storage/Access/Sample.swift") == 0)
        }
        #expect(count("// An id that is doubtful", "Sources/Storage/Identity/Sample.swift") == 1)
        #expect(count("// A date that is doubtful", "Sources/ToDo/Item/Sample.swift") == 0)
    }

    @Test(
        "a glossary row without a type of the tree, and a word that stands there twice, are found")
    func glossaryRows() {
        let text = "| word | type | meaning |\n|---|---|---|\n| a | `A` | x |\n| a | `B` | y |"
        let page = SourceFile(path: "GLOSSARY.md", text: text)
        #expect(GlossaryRules.findings(in: page, types: ["A", "B"]).map(\.line) == [4])
        #expect(GlossaryRules.findings(in: page, types: ["A"]).map(\.line) == [4, 4])
    }
}
