import Records
import Wire

/// What a device sent and what waits for the next commit.
enum RelayUploadItem {
    case changes(ChangeBatch)
    case upload(Upload)

    /// The bytes that wait.
    var byteCount: Int {
        switch self {
        case .changes(let batch): batch.changes.reduce(0) { $0 + $1.body.count }
        case .upload(let upload): upload.statement.count
        }
    }
}
