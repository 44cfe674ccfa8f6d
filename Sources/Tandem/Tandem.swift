// Apps import this module alone. The engine's own types are shown to them as they are: records, values, ids,
// requests, live changes, options, reports. Everything else of the engine is visible in this package only.
@_exported import Core
@_exported import Devices
@_exported import Session
@_exported import Storage
