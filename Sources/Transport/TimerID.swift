/// Names one scheduled action, so that it can be called off.
package struct TimerID: Hashable, Sendable {
    let number: UInt64
}
