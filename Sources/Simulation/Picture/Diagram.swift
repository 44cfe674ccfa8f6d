/// A space-time diagram of a chronicle, as one page for a browser.
///
/// Devices are lanes, time goes downwards, messages are arrows. The page needs nothing but itself: no
/// network, no fonts, and its script only moves into a panel what every mark says by itself. The same
/// chronicle gives the same bytes.
package struct Diagram: Sendable {
    /// The most rows that are drawn; of longer stories the last ones are.
    package static let drawnRowCountMax = 600
    /// The most moments that the table lists; of longer stories the last ones are.
    package static let listedMomentCountMax = 5_000
    /// The most characters of one text that a panel or a row of the table shows.
    package static let shownCharacterCountMax = 2_000

    private let chronicle: Chronicle

    /// A picture of what happened.
    package init(_ chronicle: Chronicle) {
        self.chronicle = chronicle
    }

    /// The page, in HTML.
    package var page: String {
        DiagramPage(chronicle).text
    }
}
