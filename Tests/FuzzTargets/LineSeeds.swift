/// Made lines of `add` and `edit` whose words go on behind a value, or mean something else than a title.
enum LineSeeds {
    static let all = lines + forms

    private static let lines: [FuzzSeed] = [
        "notes-:more", "notes-: ", "notes-:", "notes-:a\nnotes:b", "notes:a\nnotes:b",
        "notes+:a\nnotes:b", "notes:see\nBob\n+work\nabout\nit", "notes:a\n+b",
        "notes+:a\n+b\nc",
        "title\nnotes:see\n+b\nc", "notes:see\n+b\n--\nc", "notes:a\n+b\ndue:fri\nc",
        "due+2d", "until-1w", "due+2d\nx", "due++2d", "wait+1w", "scheduled+3d", "start-2h",
        "x.:3", "x.:", "cancelled", "canceled", "pending", "s/a/b", "s/a/b/\nc", "s/a/b/",
        "s/a\nb/",
        "+a\n-a", "-a\n+a", "tags:b\n+a\n-b", "tags-:a\n+a", "except+:24 dec\nexcept-:24 dec",
        "2\nBoth\ntitle", "to\n2", "and\n2", "1\nto\n2", "due:2\nweeks", "wait:3\nmonths",
        "remind:2\ndays", "due:25\njan", "due:tonight\n9pm", "wait:next\nweek", "due:fri\n+2d",
        "except:24\ndec", "except:24\n+dec", "repeat:weekly\n5\ntimes", "/a/b/\nextra",
        "/a/b/\ndue:fri\nextra", "@home\nx", "people:a\npeople:b", "project:", "tags:", "people:",
        "due:15th\njanuary", "remind:2h\nbefore\ndue", "remind:2h\nbefore", "due:+2d", "due:none",
        "tags:a\nb", "tags:a\n+b\nc", "priority:high\nlow", "today", "tomorrow\nat\n5", "may\n3",
    ].flatMap { line in
        [FuzzSeed("words", "", "\u{1}" + line), FuzzSeed("words", "", "\u{0}Buy\n" + line)]
    }.enumerated().map { FuzzSeed("words", "line-\($0.offset)", $0.element.bytes) }

    /// Forms of an editor: other keys, two values of one field, notes on both sides of the line above them.
    private static let forms = [
        "title: A\nstatus: pending\nnotes: x\n--- notes below ---\ny\n",
        "title: A\nstatus: pending\n--- notes below ---\nnew\n",
        "title: A\nstatus: pending\n--- notes below ---\nnew",
        "Due: fri\ndue: sat", "Title: A\npro: b",
        "parent: 3", "depends: 3", "notes+: a", "X.a: 1\nx.a: 2",
        "title: --- notes below ---\nx",
    ].flatMap { ["\u{2}" + $0, "\u{6}" + $0] }.enumerated()
        .map { FuzzSeed("words", "form-\($0.offset)", $0.element) }
}
