// The engine's types that a `ToDoStore` takes and gives: record ids, values, stored records, faults of the store.
//
// They are shown as they are rather than copied, so that a program which calls `ToDoStore` imports `ToDo` alone.
@_exported import Core
@_exported import Storage
