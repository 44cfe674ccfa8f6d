/// What a service is to do.
struct SyncSettings: Sendable {
    let folder: String
    let schema: Schema
    let options: StoreOptions
    let peers: [String]
    let listening: String?
    let allowsPlainTCP: Bool
}
