import Testing

/// The tree obeys the house rules (.github/CONTRIBUTING.md).
///
/// Each test names every place that breaks its rule as `file:line: rule`, so that one run is
/// enough to correct them all. That the scanners find what they look for is shown by ScannerTests.
@Suite("House rules")
struct TidyTests {
    private let tree = SourceTree.shared

    private var swiftFiles: [SourceFile] {
        tree.swiftFiles(under: "Sources", "Tests", "Tools", "Examples")
    }

    private func manifest() throws -> Manifest {
        let file = tree.file(Manifest.path)
        return Manifest(text: try #require(file).lines.joined(separator: "\n"))
    }

    private func expectNone(
        _ findings: [Finding], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard !findings.isEmpty else { return }
        Issue.record("\(findings.listed)", sourceLocation: sourceLocation)
    }

    @Test("the tree is found and has every floor")
    func treeIsFound() {
        for folder in [
            "Sources/Core", "Sources/Storage", "Sources/Devices", "Sources/ToDo", "Tools",
        ] {
            #expect(!tree.swiftFiles(under: folder).isEmpty, "\(folder) has no Swift file")
        }
    }

    @Test("no module imports what its floor may not")
    func floorsHold() {
        expectNone(swiftFiles.flatMap { ImportRules.floorFindings(in: $0) })
    }

    @Test("no file of the command tandem imports a module of the engine")
    func commandsCallDevices() {
        let allowed = FloorTable.imports["tandem"] ?? []
        #expect(allowed.isDisjoint(with: ["Core", "Storage", "Session", "Crypto", "Transport"]))
        let files = tree.swiftFiles(under: "Tools/tandem")
        #expect(files.contains { ImportRules.imports(in: $0).contains { $0.module == "Devices" } })
        expectNone(files.flatMap { ImportRules.floorFindings(in: $0) })
        expectNone(files.flatMap { CallerRules.commandFindings(in: $0) })
    }

    @Test("what is served over HTTP calls Device and ToDoStore, and no store")
    func servicesCallDevices() {
        for folder in CallerRules.folders {
            let allowed = FloorTable.imports[String(folder.dropFirst("Sources/".count))] ?? []
            #expect(
                allowed.isDisjoint(with: ["Core", "Storage", "Session", "Crypto", "Transport"]))
            let files = tree.swiftFiles(under: folder)
            #expect(files.contains { ImportRules.imports(in: $0).contains { $0.module == "ToDo" } })
            expectNone(files.flatMap { CallerRules.findings(in: $0) })
        }
    }

    @Test("what a device can do is compared by the command and by the library, or says why not")
    func capabilitiesAreCompared() throws {
        let files = tree.swiftFiles(under: "Sources/Devices")
        let methods = files.flatMap { CapabilityRules.methods(in: $0) }
        for type in CapabilityRules.types.sorted() {
            #expect(methods.contains { $0.type == type }, "\(type) has no method")
        }
        expectNone(files.flatMap { CapabilityRules.missingFindings(in: $0) })
        let (scenarios, calls) = (
            tree.file(CapabilityRules.scenarios), tree.file(CapabilityRules.calls)
        )
        expectNone(
            CapabilityRules.tableFindings(
                methods, scenarios: try #require(scenarios), calls: try #require(calls),
                callers: (
                    tree.swiftFiles(under: "Tools/tandem"),
                    // An invitation of the library waits on a thread of Devices.
                    tree.swiftFiles(under: "Sources/Tandem")
                        + tree.swiftFiles(under: "Sources/Devices")
                        .filter { $0.path.hasSuffix("/InvitationThread.swift") }
                )))
    }

    @Test("no folder of Core names a type of a folder that is not below it")
    func coreFoldersHold() {
        expectNone(FolderRules.coreFindings(in: tree.swiftFiles(under: "Sources/Core")))
        for folder in FolderRules.coreRanks.joined() {
            #expect(!tree.swiftFiles(under: "Sources/Core/\(folder)").isEmpty, "\(folder) is empty")
        }
    }

    @Test("every module below the programs has a line in the floor table")
    func everyModuleHasAFloor() {
        let modules = tree.swiftFiles(under: "Sources").compactMap {
            FloorTable.module(of: $0.path)
        }
        for module in Set(modules).sorted() {
            #expect(FloorTable.imports[module] != nil, "\(module) is missing in FloorTable")
        }
    }

    @Test("the manifest and the floor table agree, and every import is declared")
    func manifestAgrees() throws {
        let manifest = try manifest()
        expectNone(ImportRules.manifestFindings(manifest))
        expectNone(swiftFiles.flatMap { ImportRules.manifestFindings(in: $0, manifest: manifest) })
    }

    @Test("nothing on the lower floors names a clock, chance, a thread or the world")
    func wordsAreAllowed() {
        expectNone(swiftFiles.flatMap { WordRules.findings(in: $0) })
    }

    @Test("files and functions are short enough to read")
    func sizesHold() {
        expectNone(swiftFiles.flatMap { SizeRules.findings(in: $0) })
        for file in swiftFiles where file.lineCount > SizeRules.fileLinesWanted {
            print("note: \(file.path): \(file.lineCount) lines; is it still one thing?")
        }
    }

    @Test("a file of a few lines says why it is alone")
    func loneFilesSayWhy() {
        expectNone(
            tree.swiftFiles(under: "Sources", "Tools", "Tests").flatMap {
                SizeRules.loneFileFindings(in: $0)
            })
    }

    @Test("no type name stands twice at the top of files")
    func typeNamesAreUnique() {
        let files = tree.swiftFiles(under: "Sources", "Tools")
        expectNone(
            DeclarationRules.doubleFindings(in: files, exceptions: DeclarationRules.doubles))
        let counts = files.flatMap { Set(DeclarationRules.topLevelTypes(in: $0).map(\.name)) }
            .reduce(into: [:]) { $0[$1, default: 0] += 1 }
        for name in DeclarationRules.doubles.keys.sorted() {
            #expect(counts[name, default: 0] > 1, "\(name) stands once: it needs no exception")
        }
    }

    @Test("advice that names a command exists only in Tools")
    func commandsAreNamedInTools() {
        let commands = WordRules.commandNames(in: tree.swiftFiles(under: "Tools/tandem"))
        #expect(commands.isSuperset(of: ["sync", "invite", "accept-deletes"]))
        expectNone(
            tree.swiftFiles(under: "Sources").flatMap {
                WordRules.commandFindings(in: $0, commands: commands)
            })
    }

    @Test("no text for people speaks of the reader")
    func textsNameDevices() {
        expectNone(tree.swiftFiles(under: "Sources").flatMap { WordRules.readerFindings(in: $0) })
    }

    @Test("comments name their subject first")
    func commentsNameTheirSubject() {
        let findings = swiftFiles.flatMap { WordRules.openingFindings(in: $0) }
        #expect(findings.count < WordRules.openingCountMax, "\(findings.listed)")
    }

    @Test("everything that other modules see says what it is")
    func declarationsAreDocumented() {
        expectNone(
            tree.swiftFiles(under: "Sources", "Tools", "Examples", "Tests/TestSupport")
                .flatMap { DeclarationRules.documentationFindings(in: $0) })
    }

    @Test("a file with one type has its name")
    func typesHaveTheirFiles() {
        expectNone(swiftFiles.flatMap { DeclarationRules.typeFindings(in: $0) })
    }

    @Test("no file name has a space")
    func fileNamesHaveNoSpaces() {
        expectNone(
            tree.paths.filter { $0.contains(" ") }
                .map { Finding(path: $0, line: 0, rule: "a space in a name breaks scripts") })
    }

    @Test("every path and command on the pages exists")
    func pagesNameWhatExists() throws {
        let manifest = try manifest()
        let targets = Set(manifest.dependencies.keys)
        expectNone(
            PageRules.pages(in: tree).flatMap {
                PageRules.findings(in: $0, tree: tree, targets: targets)
            })
    }

    @Test("the walks name files that are on them, and state how many there are")
    func walksAreMeasured() throws {
        let (pagePath, listPath) = ("ARCHITECTURE.md", "docs/walks.md")
        let (pageFile, listFile) = (tree.file(pagePath), tree.file(listPath))
        let page = try #require(pageFile, "\(pagePath) is missing")
        let list = try #require(listFile, "\(listPath) is missing; run: ./Tools/walks --write")
        expectNone(WalkRules.findings(in: page, measured: list))
        #expect(WalkRules.walks(of: page).map(\.number) == [1, 2, 3, 4])
    }

    @Test("the README stays a page that one reads")
    func readmeIsShort() throws {
        let file = tree.file("README.md")
        let readme = try #require(file, "README.md is missing")
        #expect(readme.lineCount <= SizeRules.readmeLinesMax)
    }

    @Test("the pages for developers and the changelog stay short enough to read")
    func pagesAreShort() throws {
        for (path, linesMax) in [("ARCHITECTURE.md", 250), ("CHANGELOG.md", 80)] {
            let file = tree.file(path)
            let page = try #require(file, "\(path) is missing")
            #expect(page.lineCount <= linesMax, "\(path) has \(page.lineCount) lines")
        }
    }

    @Test("the counts of lines and files are those of the tree")
    func countsAreMeasured() throws {
        let file = tree.file(CountRules.page)
        let page = try #require(file, "\(CountRules.page) is missing")
        expectNone(
            CountRules.findings(in: page, files: tree.swiftFiles(under: "Sources", "Tools/tandem")))
        #expect(CountRules.rows(of: page).contains { $0.folder == "Sources" })
    }

    @Test("every word of the glossary has a type of the tree")
    func glossaryNamesTypes() throws {
        let file = tree.file(GlossaryRules.page)
        let page = try #require(file, "GLOSSARY.md is missing")
        let types = Set(
            tree.swiftFiles(under: "Sources").flatMap { DeclarationRules.topLevelTypes(in: $0) }
                .map(\.name))
        expectNone(GlossaryRules.findings(in: page, types: types))
    }

    @Test("retired words are no identifiers")
    func retiredWordsStayRetired() {
        expectNone(
            tree.swiftFiles(under: "Sources", "Tools").flatMap {
                GlossaryRules.retiredFindings(inCode: $0)
            })
    }

    @Test("retired words are no terms of the pages")
    func retiredWordsAreOffThePages() {
        // CONTRIBUTING quotes some as examples of how not to write.
        let pages = PageRules.pages(in: tree).filter { !$0.path.hasPrefix(".github/") }
        expectNone(pages.flatMap { GlossaryRules.retiredFindings(onPage: $0) })
    }

    @Test("no module faults its own rules: faults are planted from outside")
    func faultsComeFromOutside() {
        let lines = tree.swiftFiles(under: "Sources").flatMap { file in
            file.swift.code.enumerated().filter { $0.element.containsPhrase("isPlanted") }
                .map { file.finding($0.offset, "a fault is a patch of Tests/Mutants") }
        }
        expectNone(lines)
    }

    @Test("nothing compares the text of a message")
    func messagesAreNotCompared() {
        expectNone(
            tree.swiftFiles(under: "Sources", "Tools", "Examples").flatMap {
                SentenceRules.findings(in: $0)
            })
    }

    @Test("few test files are about words, and each is there")
    func wordsAreTestedInFewFiles() throws {
        let file = tree.file(SentenceRules.list)
        let files = SentenceRules.wordingFiles(in: try #require(file))
        #expect(!files.isEmpty && files.count <= SentenceRules.fileCountMax)
        for path in files { #expect(tree.file(path) != nil, "\(path) is missing") }
    }
}
