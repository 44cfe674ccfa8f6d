/// The page around the picture: what it is of, how it ended, the steps, and all in words.
struct DiagramPage {
    let chronicle: Chronicle
    private let drawing: DiagramDrawing

    init(_ chronicle: Chronicle) {
        self.chronicle = chronicle
        drawing = DiagramDrawing(chronicle)
    }

    /// The page, in HTML.
    var text: String {
        let title = chronicle.title.isEmpty ? "A story without a title" : chronicle.title
        let short = DiagramText.clipped(title, count: Diagram.headingLengthMax)
        var result = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        result += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        result += "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
        result += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        result += "<title>\(DiagramText.escaped(DiagramText.isolated(short)))</title>\n"
        result += "<style>\n\(DiagramStyle.sheet)</style>\n</head>\n<body>\n"
        result += "<header class=\"top\">\n<h1>\(DiagramTable.text(short))</h1>\n"
        if short != title {
            result += "<details><summary>The whole title</summary><p>"
            result += "\(DiagramTable.text(title))</p></details>\n"
        }
        result += outcome + legend + "</header>\n"
        result += "<main>\n<h2 class=\"unseen\">What happened, device by device</h2>\n" + omitted
        result += "<div class=\"heads\"><div class=\"corner\">Story</div>\(drawing.head)</div>\n"
        for step in drawing.scene.reading.steps.indices { result += section(step) }
        result += "</main>\n<aside id=\"detail\" role=\"status\" hidden></aside>\n"
        result += DiagramTable(chronicle: chronicle).text
        return result + "<script>\n\(DiagramStyle.script)</script>\n</body>\n</html>\n"
    }

    // MARK: Head

    private var outcome: String {
        var result = ""
        if let outcome = chronicle.outcome {
            let isGood = outcome.verdict == .passed
            result += "<p class=\"outcome\"><strong class=\"badge \(isGood ? "good" : "bad")\">"
            result += "\(isGood ? "✓" : "✗") \(outcome.verdict.word)</strong> "
            if !outcome.detail.isEmpty { result += DiagramTable.text(outcome.detail) }
            result += "</p>\n<p class=\"counts\">\(count(outcome.stepCount, "statement")), "
            result += "\(count(chronicle.lanes.count, "device")), "
            result += "\(count(outcome.eventCount, "event")), "
            result += "trace \(String(outcome.traceHash, radix: 16)). "
        } else {
            result += "<p class=\"counts\">The story has not ended. "
        }
        if let bad = drawing.scene.reading.steps.lastIndex(where: \.isBad) {
            result += "<a href=\"#s\(bad)\">Go to where it broke</a> · "
        }
        return result + "<a href=\"#moments\">All moments as a table</a></p>\n"
    }

    private func count(_ number: Int, _ word: String) -> String {
        "\(number) \(word)\(number == 1 ? "" : "s")"
    }

    private var legend: String {
        var result = "<ul class=\"legend\" aria-label=\"Legend\">\n"
        for symbol in DiagramSymbol.allCases {
            result += "<li><svg class=\"key\" viewBox=\"-12 -12 24 24\" width=\"22\" height=\"22\""
            result += " aria-hidden=\"true\"><g class=\"m \(symbol.rawValue)\">\(symbol.shape)</g>"
            result += "</svg> \(symbol.meaning)</li>\n"
        }
        for (name, drawing, meaning) in DiagramStyle.arrows {
            result += "<li><svg class=\"key\" viewBox=\"0 0 46 22\" width=\"46\" height=\"22\""
            result += " aria-hidden=\"true\"><g class=\"a \(name)\">\(drawing)</g></svg>"
            result += " \(meaning)</li>\n"
        }
        return result + "</ul>\n"
    }

    private var omitted: String {
        let first = drawing.scene.reading.first
        guard first > 0 else { return "" }
        return "<p class=\"omitted\">The picture shows the last "
            + "\(chronicle.moments.count - first) of \(chronicle.moments.count) moments; "
            + "the first \(first) are left out of it, and stand in the table below.</p>\n"
    }

    // MARK: Steps

    private func section(_ number: Int) -> String {
        let step = drawing.scene.reading.steps[number]
        let words = DiagramText.clipped(step.words, count: Diagram.headingLengthMax)
        let moments = step.moments
        var result = "<section id=\"s\(number)\" class=\"step\(step.isBad ? " broken" : "")\">\n"
        result += "<div class=\"words\"><h3>"
        if let statement = step.statement { result += "<span>\(statement + 1).</span> " }
        result += "\(DiagramTable.text(words))</h3>\n"
        result += "<a href=\"#m\(moments.lowerBound)\">"
        if moments.count == 1 {
            result += "moment \(moments.lowerBound)</a>"
        } else {
            result += "moments \(moments.lowerBound) to \(moments.upperBound)</a>"
        }
        return result + "</div>\n" + drawing.step(number) + "</section>\n"
    }
}
