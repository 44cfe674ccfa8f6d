import Core

/// A chart as a picture: SVG 1.1 with nothing outside of itself, light or dark as the viewer is.
///
/// Every number of the chart stands in it as text too, as a bar's title.
package struct ChartPicture {
    /// How the bars lie.
    package enum Direction: Sendable {
        /// Beside each other, from the left: time goes to the right.
        case columns
        /// Below each other: names have room.
        case rows
    }

    private static let height = 240
    private static let margin = (top: 60, right: 24, bottom: 44, left: 48)
    private static let nameWidth = 200
    private static let nameLengthMax = 28
    private static let barWidth = 560

    private let chart: BarChart
    private let direction: Direction
    private var body = ""

    /// A chart to be drawn.
    package init(_ chart: BarChart, _ direction: Direction) {
        self.chart = chart
        self.direction = direction
    }

    /// The picture's text.
    package var svg: String {
        var picture = self
        let size = direction == .columns ? picture.drawColumns() : picture.drawRows()
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size.width) \(size.height)" \
            width="\(size.width)" height="\(size.height)" role="img" font-family="sans-serif" font-size="12">
            <title>\(Self.escaped(chart.title))</title>
            <style>
            .ground { fill: #ffffff } text { fill: #24292f } .line { stroke: #d0d7de }
            .part0 { fill: #2f6feb } .part1 { fill: #9dbcf7 } .part2 { fill: #e3b341 }
            .part3 { fill: #8c959f }
            @media (prefers-color-scheme: dark) {
            .ground { fill: #0d1117 } text { fill: #e6edf3 } .line { stroke: #30363d }
            .part0 { fill: #588ff5 } .part1 { fill: #2c4a86 } .part2 { fill: #b8892b }
            .part3 { fill: #6e7681 }
            }
            </style>
            <rect class="ground" width="100%" height="100%"/>
            <text x="16" y="24" font-size="15" font-weight="bold">\(Self.escaped(chart.title))</text>
            \(picture.body)</svg>

            """
    }

    // MARK: Columns

    private mutating func drawColumns() -> (width: Int, height: Int) {
        let step = max(12, min(48, 640 / max(1, chart.bars.count)))
        let width = Self.margin.left + max(280, step * chart.bars.count) + Self.margin.right
        let foot = Self.margin.top + Self.height
        drawLegend()
        let scale = Self.scale(chart.longest)
        for value in stride(from: 0, through: scale.top, by: scale.step) {
            let y = foot - value * Self.height / scale.top
            body += """
                <line class="line" x1="\(Self.margin.left)" x2="\(width - Self.margin.right)" y1="\(y)" y2="\(y)"/>
                <text x="\(Self.margin.left - 8)" y="\(y + 4)" text-anchor="end">\(value)</text>

                """
        }
        // As many labels as have room beside each other.
        let every = (48 + step - 1) / step
        for (index, bar) in chart.bars.enumerated() {
            let x = Self.margin.left + index * step
            var y = foot
            for (part, value) in bar.values.enumerated() where value > 0 {
                let length = max(1, value * Self.height / scale.top)
                y -= length
                drawPart(part, of: bar, x: x + 1, y: y, width: step - 2, height: length)
            }
            // Counted from the end, so that the last one, which is now, has its label.
            if (chart.bars.count - 1 - index).isMultiple(of: every) {
                body += """
                    <text x="\(x + step / 2)" y="\(foot + 18)" text-anchor="middle">\(Self.escaped(bar.label))</text>

                    """
            }
        }
        return (width, foot + Self.margin.bottom)
    }

    /// The top of a scale and the step of its lines, of which there are four to ten.
    package static func scale(_ longest: Int) -> (top: Int, step: Int) {
        var step = 1
        while longest / step >= 5 {
            let (larger, overflow) = step.multipliedReportingOverflow(by: 10)
            if overflow { break }
            step = [step * 2, step * 5, larger].first { longest / $0 < 5 } ?? larger
        }
        return ((longest + step - 1) / step * step, step)
    }

    // MARK: Rows

    private mutating func drawRows() -> (width: Int, height: Int) {
        let step = 26
        let x = Self.nameWidth + 16
        drawLegend()
        for (index, bar) in chart.bars.enumerated() {
            let y = Self.margin.top + index * step
            let name =
                bar.label.count > Self.nameLengthMax
                ? bar.label.prefix(Self.nameLengthMax - 1) + "…" : bar.label[...]
            body += """
                <text x="\(x - 8)" y="\(y + 15)" text-anchor="end">\(Self.escaped(String(name)))</text>

                """
            var start = x
            for (part, value) in bar.values.enumerated() where value > 0 {
                let length = max(1, value * Self.barWidth / chart.longest)
                drawPart(part, of: bar, x: start, y: y, width: length, height: step - 6)
                start += length
            }
            let numbers = bar.values.map { String($0) }.joined(separator: " + ")
            body += "<text x=\"\(start + 6)\" y=\"\(y + 15)\">\(numbers)</text>\n"
        }
        let height = Self.margin.top + step * max(1, chart.bars.count) + 16
        return (x + Self.barWidth + 96, height)
    }

    // MARK: Parts

    private mutating func drawPart(
        _ part: Int, of bar: BarChart.Bar, x: Int, y: Int, width: Int, height: Int
    ) {
        let title = "\(bar.label): \(bar.values[part]) \(chart.series[part])"
        body += """
            <rect class="part\(part)" x="\(x)" y="\(y)" width="\(width)" height="\(height)">\
            <title>\(Self.escaped(title))</title></rect>

            """
    }

    private mutating func drawLegend() {
        var x = 16
        for (part, name) in chart.series.enumerated() {
            body += """
                <rect class="part\(part)" x="\(x)" y="36" width="10" height="10"/>
                <text x="\(x + 16)" y="45">\(Self.escaped(name))</text>

                """
            x += 40 + name.count * 8
        }
    }

    /// Text as XML holds it; a character that steers what stands around it is named instead.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in VisibleText.escaped(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
