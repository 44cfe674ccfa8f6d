#if PostgreSQL
    /// The statements about counts that all processes add to; each begins anew after its time, by the database's clock.
    struct PostgreSQLCounts {
        /// Adds to counts: an array for each column of the key, one of what is added, and the time of a count in
        /// milliseconds.
        let add: PostgreSQLStatement
        /// Reads the counts that have changed within so many milliseconds, and began within the time of a count; the latest
        /// first, so many at most: the key, the count, and its age in milliseconds.
        let read: PostgreSQLStatement
        /// Forgets the counts that began so many milliseconds ago.
        let drop: PostgreSQLStatement

        /// The counts in a table that has the columns `since` and `changed` besides.
        ///
        /// - Parameters:
        ///   - words: what is counted, for the names of the statements.
        ///   - key: the columns by which it is counted, with their types.
        ///   - count: the column of the count.
        init(
            _ table: String, of words: String, by key: [(name: String, type: String)],
            count: String
        ) {
            let columns = key.map(\.name).joined(separator: ", ")
            let arrays = key.enumerated().map { "$\($0.offset + 1)::\($0.element.type)[]" }
                .joined(separator: ", ")
            let (added, period) = (key.count + 1, key.count + 2)
            let isOver =
                "old.since <= excluded.since - $\(period)::bigint * interval '1 millisecond'"
            add = PostgreSQLStatement(
                name: "adding \(words)",
                text: """
                    INSERT INTO \(table) AS old(\(columns), since, changed, \(count))
                    SELECT \(columns), clock_timestamp(), clock_timestamp(), \(count)
                    FROM unnest(\(arrays), $\(added)::bigint[]) AS new(\(columns), \(count))
                    ORDER BY \(columns)
                    ON CONFLICT (\(columns)) DO UPDATE SET changed = excluded.changed,
                        since = CASE WHEN \(isOver) THEN excluded.since ELSE old.since END,
                        \(count) = excluded.\(count)
                            + CASE WHEN \(isOver) THEN 0 ELSE old.\(count) END
                    """)
            read = PostgreSQLStatement(
                name: "reading \(words)",
                text: """
                    SELECT \(columns), \(count),
                        (extract(epoch FROM clock_timestamp() - since) * 1000)::bigint
                    FROM \(table)
                    WHERE changed > clock_timestamp() - $1::bigint * interval '1 millisecond'
                        AND since > clock_timestamp() - $2::bigint * interval '1 millisecond'
                    ORDER BY changed DESC LIMIT $3::bigint
                    """)
            drop = PostgreSQLStatement(
                name: "forgetting \(words)",
                text: """
                    DELETE FROM \(table)
                    WHERE since <= clock_timestamp() - $1::bigint * interval '1 millisecond'
                    """)
        }
    }
#endif
