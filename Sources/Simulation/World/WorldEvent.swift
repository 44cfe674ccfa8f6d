/// Something that is due in a world.
enum WorldEvent {
    /// Bytes arrive at one end of a link.
    case arrival(link: Int, side: Int, Packet)
    /// One end of a link hears that the link is closed.
    case hangUp(link: Int, side: Int)
    /// What waits at a relay is brought to its disk.
    case commit(lane: Int, life: Int)
    /// A session wakes; void if it has asked for another time since.
    case wake(link: Int, side: Int, token: Int)
}
