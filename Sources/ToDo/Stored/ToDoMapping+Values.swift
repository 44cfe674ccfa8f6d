import Core
import Storage

/// Single values, as people type and read them.
extension ToDoMapping {
    /// What was typed as the value of a field; nothing clears it.
    ///
    /// - Throws: what the field takes instead.
    package static func value(
        typed text: String, for field: Field, now: Int64, zone: LocalTimeZone
    ) throws(ToDoWordsError) -> Value {
        if text.isEmpty { return .null }
        guard case .number(let number) = field,
            let schema = ToDoSchema.collections[0].field(number)
        else { return value(CustomValue(typed: text)) }
        let key = schema.column
        switch schema.kind {
        case .moment:
            do throws(DatePhraseError) {
                return value(try DatePhrase.parse(text, now: now, zone: zone))
            } catch {
                throw .badDate(key: key, error)
            }
        case .int where number == ToDoSchema.Number.priority:
            guard let priority = ToDoPriority(word: text) else {
                throw .badValue(key: key, value: text, hint: "use none, low, medium or high")
            }
            return priority == .none ? .null : .int(Int64(priority.rawValue))
        case .text where number == ToDoSchema.Number.status:
            guard let status = ToDoStatus(rawValue: text) else {
                throw .badValue(
                    key: key, value: text, hint: "use pending, completed or cancelled")
            }
            return status == .pending ? .null : .text(text)
        case .text where number == ToDoSchema.Number.repeats:
            guard let repetition = Repetition(text: text) else {
                throw .badValue(key: key, value: text, hint: Repetition.hint)
            }
            return .text(repetition.text)
        case .text: return .text(text)
        default: throw .badValue(key: key, value: text, hint: "use --mine or --theirs")
        }
    }

    /// A field's value as a person reads it.
    package static func describe(
        _ value: Value, of field: Field, now: Int64, zone: LocalTimeZone
    ) -> String {
        switch value {
        case .null: field == .number(ToDoSchema.Number.status) ? "pending" : "(nothing)"
        case .text(let text): text
        case .bool(let flag): flag ? "yes" : "no"
        case .int(let number): priority(number, of: field)?.word ?? String(number)
        case .double(let number): String(number)
        case .instant(let instant): DatePhrase.absolute(.instant(instant), zone: zone)
        case .day(let day): DatePhrase.absolute(.day(day), zone: zone)
        case .bytes(let bytes): bytes.count == 1 ? "1 byte" : "\(bytes.count) bytes"
        case .reference(let id): id.uuidText
        case .clock, .elided, .unknown: "(from a newer version)"
        }
    }

    /// A field's value as JSON, in the forms of our own export.
    package static func json(_ value: Value, of field: Field) -> String {
        switch value {
        case .null: field == .number(ToDoSchema.Number.status) ? "\"pending\"" : "null"
        case .text(let text): JSONText.string(text)
        case .bool(let flag): flag ? "true" : "false"
        case .int(let number):
            priority(number, of: field).map { JSONText.string($0.word) } ?? String(number)
        case .double(let number): number.isFinite ? String(number) : "null"
        case .instant(let instant): JSONText.string(TimestampText.rfc3339(instant))
        case .day(let day): JSONText.string(TimestampText.day(Int(day)))
        case .reference(let id): JSONText.string(id.uuidText)
        case .bytes, .clock, .elided, .unknown: "null"
        }
    }

    private static func priority(_ number: Int64, of field: Field) -> ToDoPriority? {
        guard field == .number(ToDoSchema.Number.priority) else { return nil }
        return Int(exactly: number).flatMap(ToDoPriority.init(rawValue:))
    }
}
