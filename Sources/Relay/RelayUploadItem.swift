import Core

/// What a device sent and what waits for the next commit.
enum RelayUploadItem {
    case changes(ChangeBatch)
    case upload(Upload)
    /// Is not acknowledged: what is sent behind it is, and both are committed together.
    case letter(Letter)

    /// The bytes that wait.
    var byteCount: Int {
        switch self {
        case .changes(let batch): batch.changes.reduce(0) { $0 + $1.body.count }
        case .upload(let upload): upload.statement.count
        case .letter(let letter): letter.bytes.count
        }
    }
}
