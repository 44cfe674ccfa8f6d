import ToDo

/// What formats need to know besides the to-dos.
struct FormatSettings {
    /// The zone whose midnights are days, where a format has no days.
    var zone: LocalTimeZone
    /// Now, from which "friday" is counted; milliseconds since 1970.
    var now: Int64
    /// Whether a ChronoList archive is written as XML.
    var isXML = false
    /// Whether cells of a table that look like formulas are guarded.
    var isExcelSafe = false
    /// Which columns of a table that is read are called otherwise than here.
    var columnMap = CSVColumnMap()
    /// The name of the file, without its folder; "" for the standard input.
    var fileName = ""
}
