// The engine's types that a device takes and gives: records and ids, faults, keys, reports of sessions, addresses.
//
// They are shown as they are rather than copied, so that a program which calls `Device` imports `Devices` alone.
@_exported import Core
@_exported import Crypto
@_exported import Session
@_exported import Storage
@_exported import Transport
