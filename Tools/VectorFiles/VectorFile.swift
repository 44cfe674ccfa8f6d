import JSON

/// One file of vectors: checked against what the code says, and written anew.
package enum VectorFile {
    /// A difference between a file and the code.
    package struct Mismatch: Hashable, Sendable, CustomStringConvertible {
        /// The file.
        package let kind: VectorKind
        /// The case; empty if the file as a whole is meant.
        package let name: String
        /// The difference.
        package let reason: String

        package var description: String {
            "\(kind.fileName): \(name.isEmpty ? "" : "'\(name)' ")\(reason)"
        }
    }

    /// The text of a kind's file, as the code has it.
    package static func text(of kind: VectorKind) -> String {
        JSON.list(kind.questions.compactMap { kind.answered($0) }).file
    }

    /// The differences in a file: each answer is worked out from its question, and each question that
    /// the code asks must be there with its very bytes.
    package static func mismatches(in bytes: [UInt8], of kind: VectorKind) -> [Mismatch] {
        func mismatch(_ name: String, _ reason: String) -> Mismatch {
            Mismatch(kind: kind, name: name, reason: reason)
        }
        let json: JSON
        do throws(JSONFault) {
            json = try read(bytes)
        } catch {
            return [mismatch("", "no JSON at byte \(error.byteOffset)")]
        }
        guard let cases = json.asList else { return [mismatch("", "is no list")] }
        var found: [Mismatch] = []
        var seen: Set<JSON> = []
        for example in cases {
            let name = example["name"]?.asText ?? "?"
            guard let question = kind.question(of: example), let answer = kind.answered(question)
            else {
                found.append(mismatch(name, "cannot be read"))
                continue
            }
            seen.insert(question)
            if answer != example {
                found.append(mismatch(name, "should be \(answer.line), is \(example.line)"))
            }
        }
        for question in kind.questions where !seen.contains(question) {
            let name = question["name"]?.asText ?? "?"
            found.append(mismatch(name, "is written otherwise now: \(question.line)"))
        }
        return found
    }
}
