/// Somebody with work to do once per turn of the loop, however many events asked for it.
package protocol TurnEndObserver: AnyObject {
    /// The turn's events, posts and timers have been handled.
    func turnEnded()
}
