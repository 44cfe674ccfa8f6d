extension ToDoItem {
    /// Puts tags together again that another program took apart at their commas.
    mutating func rejoinTags(of base: ToDoItem) {
        var tags = Set(self.tags)
        let before = Set(base.tags)
        for tag in base.tags where tag.contains(",") && !tags.contains(tag) {
            let parts = tag.split(separator: ",").map { part in
                String(part.drop { $0 == " " })
            }
            guard !parts.isEmpty, parts.allSatisfy(tags.contains) else { continue }
            tags.subtract(parts.filter { !before.contains($0) })
            tags.insert(tag)
        }
        setTags(tags)
    }
}
