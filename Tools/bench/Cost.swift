import Glibc

/// The cost of a piece of work for this process, all threads together.
struct Cost {
    /// Seconds on the wall clock.
    let wall: Double
    /// Seconds of processor time.
    let cpu: Double

    /// Measures `body`.
    static func measure(_ body: () throws -> Void) rethrows -> Cost {
        let (wall, cpu) = (Self.wall, Self.cpu)
        try body()
        return Cost(wall: Self.wall - wall, cpu: Self.cpu - cpu)
    }

    /// Seconds on the clock that only goes forward.
    static var wall: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static var cpu: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Forgets the peak of memory so far.
    static func resetPeak() {
        let descriptor = open("/proc/self/clear_refs", O_WRONLY)
        guard descriptor >= 0 else { return }
        _ = write(descriptor, "5", 1)
        close(descriptor)
    }

    /// A line of /proc/self/status in bytes: `VmHWM` is the peak of memory, `VmRSS` the present.
    static func memory(_ name: String, of process: String = "self") -> Int {
        guard let file = fopen("/proc/\(process)/status", "r") else { return 0 }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 256)
        while fgets(&buffer, 256, file) != nil {
            let line = String(
                decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard line.hasPrefix(name + ":") else { continue }
            return (Int(line.filter(\.isNumber)) ?? 0) * 1024
        }
        return 0
    }

    /// The bytes that all files in a folder take on the disk.
    static func byteCount(in folder: String) throws -> Int {
        guard let listing = opendir(folder) else { throw BenchError.failed("no folder \(folder)") }
        defer { closedir(listing) }
        var sum = 0
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            var found = stat()
            guard lstat("\(folder)/\(name)", &found) == 0 else { continue }
            if found.st_mode & S_IFMT == S_IFDIR {
                sum += try byteCount(in: "\(folder)/\(name)")
            } else {
                sum += Int(found.st_blocks) * 512
            }
        }
        return sum
    }
}
