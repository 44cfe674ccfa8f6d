/// Why a benchmark could not be run.
enum BenchError: Error, CustomStringConvertible {
    case failed(String)

    var description: String {
        switch self {
        case .failed(let text): text
        }
    }
}
