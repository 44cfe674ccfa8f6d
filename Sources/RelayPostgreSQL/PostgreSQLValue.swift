#if PostgreSQL
    import CPQ

    /// A statement that a connection prepares when it first runs it, if it is to be prepared.
    struct PostgreSQLStatement {
        /// The kind of the statement, for the relay's log: never its text.
        let name: String
        /// Its text, with `$1` and so on for its parameters.
        let text: String
        /// Whether the connection keeps it; not those that are run once.
        var isPrepared = true

        /// A statement with these parameters.
        func callAsFunction(_ parameters: PostgreSQLValue...) -> PostgreSQLQuery {
            PostgreSQLQuery(statement: self, parameters: parameters)
        }
    }

    /// A statement with its parameters.
    struct PostgreSQLQuery {
        let statement: PostgreSQLStatement
        let parameters: [PostgreSQLValue]
    }

    /// A parameter, as PostgreSQL's binary format has it: big-endian, arrays with a head of their own.
    ///
    /// Numbers without a sign are the bits of a `bigint`; identifiers of 16 bytes are a `uuid`.
    enum PostgreSQLValue {
        case null
        case number(Int64)
        case identifier(UInt128)
        case bytes([UInt8])
        case flag(Bool)
        case text(String)
        case numbers([Int64])
        case identifiers([UInt128])
        case byteStrings([[UInt8]])

        static func unsigned(_ number: UInt64) -> PostgreSQLValue {
            .number(Int64(bitPattern: number))
        }

        static func unsigneds(_ numbers: [UInt64]) -> PostgreSQLValue {
            .numbers(numbers.map { Int64(bitPattern: $0) })
        }

        /// Appends the value; false for NULL.
        func append(to bytes: inout [UInt8]) -> Bool {
            switch self {
            case .null: return false
            case .number(let number): Self.append(number, to: &bytes)
            case .identifier(let value): Self.append(value, to: &bytes)
            case .bytes(let value): bytes += value
            case .flag(let value): bytes.append(value ? 1 : 0)
            case .text(let value): bytes += value.utf8
            case .numbers(let values):
                Self.appendHead(of: values.count, type: 20, to: &bytes)
                for value in values {
                    Self.append(Int32(8), to: &bytes)
                    Self.append(value, to: &bytes)
                }
            case .identifiers(let values):
                Self.appendHead(of: values.count, type: 2950, to: &bytes)
                for value in values {
                    Self.append(Int32(16), to: &bytes)
                    Self.append(value, to: &bytes)
                }
            case .byteStrings(let values):
                Self.appendHead(of: values.count, type: 17, to: &bytes)
                for value in values {
                    Self.append(Int32(value.count), to: &bytes)
                    bytes += value
                }
            }
            return true
        }

        private static func append<T: FixedWidthInteger>(_ number: T, to bytes: inout [UInt8]) {
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        }

        /// Dimensions, whether any is NULL, the type's number, and of the one dimension length and first index.
        private static func appendHead(of count: Int, type: Int32, to bytes: inout [UInt8]) {
            append(Int32(count == 0 ? 0 : 1), to: &bytes)
            append(Int32(0), to: &bytes)
            append(type, to: &bytes)
            guard count > 0 else { return }
            append(Int32(count), to: &bytes)
            append(Int32(1), to: &bytes)
        }
    }

    /// The rows that a statement gave, in binary form; freed with the last reference.
    final class PostgreSQLRows {
        private let result: OpaquePointer
        /// How many rows.
        let count: Int

        init(_ result: OpaquePointer) {
            self.result = result
            count = Int(PQntuples(result))
        }

        deinit { PQclear(result) }

        /// How many rows a statement changed that gives none.
        var changedCount: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

        func isNull(_ row: Int, _ column: Int) -> Bool {
            PQgetisnull(result, CInt(row), CInt(column)) != 0
        }

        /// Calls with the bytes of a value; none for NULL.
        func withBytes<T>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) -> T) -> T {
            let length = Int(PQgetlength(result, CInt(row), CInt(column)))
            return body(
                UnsafeRawBufferPointer(
                    start: PQgetvalue(result, CInt(row), CInt(column)), count: length))
        }

        func bytes(_ row: Int, _ column: Int) -> [UInt8] {
            withBytes(row, column) { [UInt8]($0) }
        }

        func text(_ row: Int, _ column: Int) -> String {
            withBytes(row, column) { String(decoding: $0, as: UTF8.self) }
        }

        /// A `boolean`, `integer` or `bigint`; 0 for NULL.
        func number(_ row: Int, _ column: Int) -> Int64 {
            withBytes(row, column) { bytes in
                switch bytes.count {
                case 1: Int64(bytes[0])
                case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
                case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
                default: 0
                }
            }
        }

        /// A `bigint` as the bits of a number without a sign.
        func unsigned(_ row: Int, _ column: Int) -> UInt64 {
            UInt64(bitPattern: number(row, column))
        }

        func flag(_ row: Int, _ column: Int) -> Bool { number(row, column) != 0 }

        /// A `uuid`, or 16 bytes; nil for anything else.
        func identifier(_ row: Int, _ column: Int) -> UInt128? {
            withBytes(row, column) { bytes in
                bytes.count == 16
                    ? UInt128(bigEndian: bytes.loadUnaligned(as: UInt128.self)) : nil
            }
        }
    }
#endif
