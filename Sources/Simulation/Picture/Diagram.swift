/// A space-time diagram of a chronicle, as one page for a browser.
///
/// Devices are lanes, time goes downwards, messages are arrows, and each statement stands beside what
/// came of it. The page needs nothing but itself. The same chronicle gives the same bytes.
package struct Diagram: Sendable {
    /// The most moments that are drawn; of longer stories the last ones are.
    package static let drawnMomentCountMax = 2_000
    /// The most moments that the table lists; of longer stories the last ones are.
    package static let listedMomentCountMax = 20_000
    /// The most characters of one text that the page shows.
    package static let textLengthMax = 2_000
    /// The most characters of a title or a statement beside the picture; the table has the rest.
    package static let headingLengthMax = 180

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
