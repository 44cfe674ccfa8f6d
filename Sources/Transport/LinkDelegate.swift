/// The receiver of a link's events.
///
/// All calls come from the loop, never from inside a call made on the link; `send`, `close` and
/// all else may be called on the link from here.
package protocol LinkDelegate: AnyObject {
    /// Bytes arrived, in any pieces; the buffer is reused as soon as this returns.
    func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer)

    /// All that waited to be sent has been handed to the system: time to send more.
    func linkDrained(_ link: Link)

    /// The link is over; called once, and nothing is called after it.
    func linkClosed(_ link: Link, _ reason: Link.Ending)
}
