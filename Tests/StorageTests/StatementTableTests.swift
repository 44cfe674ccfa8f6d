import Storage
import Testing

@Suite("Compiled statements by their SQL")
struct StatementTableTests {
    private func connection() throws(StoreFault) -> Connection {
        try Connection(
            path: Connection.inMemory, on: StoreWorld().environment.disk, creates: true,
            busyMilliseconds: 0)
    }

    @Test(
        "The same text gives the same compiled form, another text of that length and end another one"
    )
    func foundAgain() throws {
        let connection = try connection()
        let first = try connection.statement("SELECT 1 AS a, 'the same end of both'")
        let second = try connection.statement("SELECT 2 AS a, 'the same end of both'")
        #expect(first !== second)
        #expect(try connection.statement("SELECT 1 AS a, 'the same end of both'") === first)
        // The same text, put together anew.
        let number = 2
        #expect(
            try connection.statement("SELECT \(number) AS a, 'the same end of both'") === second)
        #expect(try connection.number("SELECT 2 AS a, 'the same end of both'") == 2)
    }

    @Test("An endless variety of texts is answered rightly, and no more than 256 are kept")
    func endless() throws {
        let connection = try connection()
        let first = try connection.statement("SELECT 0 AS answer")
        for number in 1..<256 {
            #expect(try connection.number("SELECT \(number) AS answer") == Int64(number))
        }
        #expect(try connection.statement("SELECT 0 AS answer") === first)
        #expect(try connection.number("SELECT 256 AS answer") == 256)
        // All were let go of, and are compiled again.
        #expect(try connection.statement("SELECT 0 AS answer") !== first)
        #expect(try connection.number("SELECT 255 AS answer") == 255)
    }

    @Test("Texts of any length are found, also those shorter than what tells most of them apart")
    func short() throws {
        let connection = try connection()
        for text in ["BEGIN", "COMMIT", "SELECT 1", "SELECT 12", "SELECT 'ä'"] {
            let statement = try connection.statement(text)
            #expect(try connection.statement(text) === statement)
        }
    }
}
