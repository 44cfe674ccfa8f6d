import CSQLite
import Testing

@Suite("Memory that SQLite gives back and takes again")
struct RecycledMemoryTests {
    @Test("A piece has the room that was asked for, and keeps its bytes until it is given back")
    func room() throws {
        var pieces: [(start: UnsafeMutableRawPointer, count: Int)] = []
        for count in [1, 7, 8, 9, 24, 25, 4096, 8184, 8185, 70_000] {
            let start = try #require(tandem_piece_take(Int32(count)))
            #expect(Int(tandem_piece_room(start)) >= count)
            #expect(UInt(bitPattern: start) % 8 == 0)
            #expect(tandem_piece_round(Int32(count)) == tandem_piece_room(start))
            start.initializeMemory(
                as: UInt8.self, repeating: UInt8(truncatingIfNeeded: count), count: count)
            pieces.append((start, count))
        }
        for (start, count) in pieces {
            let bytes = UnsafeRawBufferPointer(start: start, count: count)
            #expect(bytes.allSatisfy { $0 == UInt8(truncatingIfNeeded: count) })
            tandem_piece_give(start)
        }
    }

    @Test("A piece that was given back is the next one of its size")
    func again() throws {
        let first = try #require(tandem_piece_take(100))
        let second = try #require(tandem_piece_take(100))
        #expect(first != second)
        tandem_piece_give(first)
        tandem_piece_give(second)
        #expect(tandem_piece_take(104) == second)
        #expect(tandem_piece_take(97) == first)
        tandem_piece_give(first)
        tandem_piece_give(second)
    }

    @Test("A piece that grows takes its bytes along, from the small ones to the system's")
    func grows() throws {
        var piece = try #require(tandem_piece_take(8))
        piece.storeBytes(of: 0x0123_4567_89ab_cdef, as: UInt64.self)
        for count in [8, 9, 100, 8000, 9000, 200_000] {
            piece = try #require(tandem_piece_change(piece, Int32(count)))
            #expect(Int(tandem_piece_room(piece)) >= count)
            #expect(piece.load(as: UInt64.self) == 0x0123_4567_89ab_cdef)
        }
        tandem_piece_give(piece)
    }

    @Test("Nothing is asked for, and nothing is given back")
    func nothing() {
        #expect(tandem_piece_take(0) == nil)
        #expect(tandem_piece_take(-1) == nil)
        #expect(tandem_piece_room(nil) == 0)
        tandem_piece_give(nil)
    }
}
