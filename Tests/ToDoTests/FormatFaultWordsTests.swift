import Testing
import ToDo

/// The words of faults and losses of formats; everywhere else tests compare codes, places and figures.
@Suite("Words of formats")
struct FormatFaultWordsTests {
    /// Returns the fault for which the file is refused, or its first entry is bad.
    private func reason(_ format: FormatSamples, _ text: String) -> String? {
        do throws(FormatFault) {
            return try format.decode(Array(text.utf8)).faults.first?.reason
        } catch {
            return error.reason
        }
    }

    private static func todo(_ line: String) -> String {
        "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:a\r\n\(line)\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"
    }

    private static func list(_ inside: String) -> String {
        "<plist><array><dict>\(inside)</dict></array></plist>"
    }

    @Test(
        "a file that cannot be read says why",
        arguments: [
            (FormatSamples.taskwarrior, #"[{"description":"a"x}]"#, "an unexpected character"),
            (.taskwarrior, #"[{"descri"#, "the text ends too early"),
            (.taskwarrior, "[nonsense]", "'nonsense]' is no JSON"),
            (
                .taskwarrior, #"{"description":"# + String(repeating: "[", count: 99),
                "values are nested too deeply"
            ),
            (.chronoListXML, list("<key>note</key><string>x</string>"), "is missing"),
            (
                .chronoListXML, "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist></plist>",
                "not a property list: the document type defines entities, which is refused"
            ),
            (
                .chronoListXML, list("<key>title</key><string>&b;</string>"),
                "'&b;' is an entity that only its author knows"
            ),
            (.csv, "title,Title\n", "the column 'title' stands twice"),
            (.csv, "name,due\n", "the first row has no column 'title', but 'name', 'due'; "),
            (.csv, "title\n\"x", "a quote is not closed"),
            (.csv, "title,notes\nc,d,e\n", "has 3 cells, the header 2"),
            (
                .todoist, "TYPE,CONTENT,PRIORITY,INDENT\ntask,a,9,1\n",
                "'9' is none of 1, 2, 3, 4"
            ),
            (.todoist, "TYPE,CONTENT\ndream,x\n", "TYPE is 'dream', not task, section or note"),
        ])
    func files(format: FormatSamples, text: String, words: String) {
        #expect(reason(format, text)?.contains(words) == true)
    }

    @Test(
        "a bad line of a calendar says why",
        arguments: [
            ("DUE:soon", "no date"),
            ("DUE:20260230", "no date"),
            ("DUE:99999999T999999Z", "no date"),
            ("no colon here", "colon"),
            (":value", "name"),
            ("X;=1:2", "name"),
            ("X;P:2", "value"),
            ("X;P=\"a:2", "quoted"),
            ("END:VALARM", "without its BEGIN"),
            ("BEGIN:VALARM", "without its END"),
            ("X-TANDEM-WAIT:later", "RFC 3339"),
            ("X-TANDEM-MORE:[]", "JSON"),
            ("X-TANDEM-MORE:{\"work\":7}", "array"),
        ])
    func calendarLines(line: String, words: String) {
        #expect(reason(.vtodo, Self.todo(line))?.contains(words) == true)
    }

    @Test("losses are told as half a sentence")
    func losses() {
        let words: [(any FormatReason, String)] = [
            (CommonReason.leftOutAsPending, "left out, as the to-do is pending"),
            (CommonReason.becomesImportTime(count: 1), "of 1 becomes the time of the import"),
            (CommonReason.leftOutWithoutName("5"), "left out, as it has no name: 5"),
            (CommonReason.becomes(ToDoItem.untitled), "becomes (no title)"),
            (
                TaskwarriorReason.computed(count: 1),
                "of 1 not read, as Taskwarrior works them out"
            ),
            (TaskwarriorReason.midnights(count: 2), "2 at midnight are read as whole days"),
            (
                TaskwarriorReason.repeatsByTasks("every week"),
                "every week, by its tasks; the template is kept as cancelled"
            ),
            (TodoTextReason.secondProject("Two"), "a second one; 'Two' becomes a tag"),
            (TodoTextReason.secondValue("2"), "a second one; '2' is left out"),
            (TodoTextReason.secondPriority("B", after: "A"), "is (A); 'pri:B' is left out"),
            (
                TodoistReason.dateKept("x", field: "date"),
                "'x' is not understood; it is kept as the field 'date'"
            ),
        ]
        for (code, text) in words { #expect(code.words == text) }
    }
}
