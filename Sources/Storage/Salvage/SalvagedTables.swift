/// The tables and indexes in the pages of a damaged database, found without SQLite.
///
/// Each page is taken for one tree at the most, and each row is read on its own: what is damaged takes
/// nothing along that is not.
struct SalvagedTables {
    /// The most tables and indexes that are looked for; this program makes far fewer.
    private static let treeCountMax = 1000

    let image: DatabaseImage
    /// The tables and indexes, those of records first.
    private(set) var trees: [SalvagedTree] = []
    /// Pages of tables that no readable tree leads to, though they are not free.
    private(set) var strayPages: [Int] = []
    /// Whether none of these pages is one that was let go of, with old copies of rows.
    private(set) var areStraysInUse = false
    /// Whether all that the file lists can be found in it, and the list itself.
    private(set) var isListWhole = true
    private var visited: Set<Int> = []

    init(_ image: DatabaseImage) {
        self.image = image
        var list = SalvagedTree(name: "sqlite_schema", isIndex: false, hasEntries: false)
        if image.isHeaderWhole {
            walk(from: 1, into: &list)
        } else {
            list.lostPageCount = 1
        }
        var rows: [SalvagedRow] = []
        readRows(of: &list) { rows.append($0) }
        isListWhole = list.isWhole && !rows.isEmpty
        if !isListWhole {
            findStrays { row in
                if row.types.count == 5, row.text(0) == "table" || row.text(0) == "index" {
                    rows.append(row)
                }
            }
        }
        trees = [list]
        // A damaged page may point at pages of another table: those that matter most are the first to choose.
        rows.removeLast(max(0, rows.count - Self.treeCountMax))
        for isFirst in [true, false] {
            for row in rows where Self.matters(row) == isFirst { add(row) }
        }
        if !isWhole { findStrays { _ in } }
    }

    /// Whether every row of every table and index can be read.
    var isWhole: Bool { isListWhole && trees.allSatisfy(\.isWhole) }

    /// Whether every row of every table can be read, whatever the indexes are like.
    var areTablesWhole: Bool {
        isListWhole && trees.allSatisfy { $0.isIndex || $0.isWhole }
    }

    /// A table or index of that name.
    func tree(_ name: String) -> SalvagedTree? { trees.first { $0.name == name } }

    /// Every row of a table or entry of an index that can be read.
    func forEachRow(of name: String, _ body: (SalvagedRow) -> Void) {
        guard var tree = tree(name) else { return }
        readRows(of: &tree, body)
    }

    /// Every row on pages to which no tree leads; of which table, the row itself must tell.
    func forEachStray(_ body: (SalvagedRow) -> Void) {
        var reader = CellReader(image)
        for number in strayPages {
            guard let page = treePage(number) else { continue }
            reader.forEachRow(of: page) { row in
                if let row { body(row) }
            }
        }
    }

    // MARK: Finding pages

    private func treePage(_ number: Int) -> TreePage? {
        image.page(number).flatMap {
            TreePage($0, isFirst: number == 1, usableSize: image.usableSize)
        }
    }

    /// Whether a line of the file's list is about records, or what is needed to read them.
    private static func matters(_ line: SalvagedRow) -> Bool {
        line.text(0) == "table"
            && (line.text(1).hasSuffix("_record") || ["state", "replica"].contains(line.text(1)))
    }

    /// Takes up a line of the file's list: type, name, table, first page, SQL.
    private mutating func add(_ line: SalvagedRow) {
        let (kind, root) = (line.text(0), line.int(3))
        let name = Migrations.presentNames[line.text(1)] ?? line.text(1)
        guard kind == "table" || kind == "index", root > 0, tree(name) == nil else { return }
        let isIndex = kind == "index"
        var tree = SalvagedTree(
            name: name, isIndex: isIndex,
            hasEntries: isIndex || line.text(4).hasSuffix("WITHOUT ROWID"))
        walk(from: Int(root), into: &tree)
        readRows(of: &tree) { _ in }
        trees.append(tree)
    }

    private mutating func walk(from root: Int, into tree: inout SalvagedTree) {
        var open: [Int] = []
        // Taken note of before it is read: a page is on the list once, however many say that it is theirs.
        func visit(_ number: Int) {
            if number <= image.pageCount, visited.insert(number).inserted {
                open.append(number)
            } else {
                tree.lostPageCount += 1
            }
        }
        visit(root)
        while let number = open.popLast() {
            guard let page = treePage(number), page.kind.isIndex == tree.hasEntries else {
                visited.remove(number)
                tree.lostPageCount += 1
                continue
            }
            tree.pages.append(number)
            for child in page.children.reversed() { visit(child) }
        }
    }

    private func readRows(of tree: inout SalvagedTree, _ body: (SalvagedRow) -> Void) {
        var reader = CellReader(image)
        var lostCount = 0
        for number in tree.pages {
            guard let page = treePage(number), page.kind != .innerTable else { continue }
            reader.forEachRow(of: page) { row in
                if let row { body(row) } else { lostCount += 1 }
            }
        }
        tree.lostRowCount = lostCount
    }

    /// Looks for pages of rows among those that belong to no tree and are not free.
    private mutating func findStrays(_ body: (SalvagedRow) -> Void) {
        let (free, areAll) = image.freePages()
        areStraysInUse = areAll
        strayPages = []
        guard image.pageCount > 0 else { return }
        for number in 1...image.pageCount where !visited.contains(number) && !free.contains(number)
        {
            guard let page = treePage(number), !page.kind.isInner else { continue }
            strayPages.append(number)
        }
        forEachStray(body)
    }
}

/// A table or an index of a damaged database, as far as its pages can be found.
struct SalvagedTree {
    let name: String
    let isIndex: Bool
    /// Its pages that can be read.
    var pages: [Int] = []
    /// How many of its pages cannot be read, or are not what they should be.
    var lostPageCount = 0
    /// How many of its rows cannot be read, on pages that can.
    var lostRowCount = 0
    /// Whether it is made of entries like an index: so are tables that have no numbers for rows.
    var hasEntries: Bool

    var isWhole: Bool { lostPageCount == 0 && lostRowCount == 0 }

    /// The share that cannot be read.
    var damage: SalvageFinding.Tree {
        SalvageFinding.Tree(
            name: name, isIndex: isIndex, pageCount: lostPageCount, rowCount: lostRowCount)
    }
}
