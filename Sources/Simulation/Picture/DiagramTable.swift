/// All moments of a chronicle in words: what the picture shows, for those who do not see it.
struct DiagramTable {
    let chronicle: Chronicle

    /// The table with its heading.
    var text: String {
        let moments = chronicle.moments
        let first = max(0, moments.count - Diagram.listedMomentCountMax)
        var result = "<section id=\"moments\" aria-labelledby=\"moments-head\">\n"
        result += "<h2 id=\"moments-head\">All moments</h2>\n"
        if first > 0 {
            result +=
                "<p class=\"omitted\">The first \(first) of \(moments.count) moments are left out.</p>\n"
        }
        result +=
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"All moments\">\n"
        result += "<table>\n<thead><tr><th scope=\"col\">No.</th><th scope=\"col\">Time</th>"
        result += "<th scope=\"col\">Device</th><th scope=\"col\">What happened</th>"
        result += "<th scope=\"col\">The record then</th></tr></thead>\n<tbody>\n"
        let words = DiagramWords(lanes: chronicle.lanes)
        for index in moments.indices[first...] { result += row(index, words) }
        return result + "</tbody>\n</table>\n</div>\n</section>\n"
    }

    private func row(_ index: Int, _ words: DiagramWords) -> String {
        let moment = chronicle.moments[index]
        var kind = ""
        switch moment.happening {
        case .statement:
            return "<tr id=\"m\(index)\" class=\"statement\"><td>\(index)</td>"
                + "<td>\(DiagramTime.words(moment.time))</td>"
                + "<th scope=\"row\" colspan=\"3\">\(number(moment)) "
                + "\(Self.text(words.sentence(moment.happening)))</th></tr>\n"
        case .violated, .checked(_, false): kind = " class=\"bad\""
        default: break
        }
        let record = words.record(moment.happening).map { "<div>\(Self.text($0))</div>" }
        return "<tr id=\"m\(index)\"\(kind)><td>\(index)</td>"
            + "<td>\(DiagramTime.words(moment.time))</td>"
            + "<td>\(Self.text(words.name(moment.lane)))</td>"
            + "<td>\(Self.text(words.sentence(moment.happening)))</td>"
            + "<td>\(record.joined())</td></tr>\n"
    }

    private func number(_ moment: Moment) -> String {
        moment.statement.map { "\($0 + 1)." } ?? ""
    }

    /// Text of the story, bounded, whatever direction it has.
    static func text(_ text: String) -> String {
        let clipped = DiagramText.clipped(text, count: Diagram.textLengthMax)
        return "<bdi>" + DiagramText.escaped(DiagramText.isolated(clipped)) + "</bdi>"
    }
}
