/// One archive, written by Python's plistlib in both forms.
enum PythonPropertyLists {
    /// The binary form, in base64.
    static let binaryBase64 = #"""
        YnBsaXN0MDCiAQrUAgMEBQYHCAlXZHVlRGF0ZVppc0NvbXBsZXRlW3Byb2plY3ROYW1lVXRpdGxlM0HI
        X2IID81oCFBTR3lt2wsMDQMODwQQERIFExQVExYcHR4fICFRYlVleHRyYVpmaW5pc2hEYXRlVG5lc3RU
        bm90ZVFyWXN0YXJ0RGF0ZVF0CRAFM0HIS6KQAAAA0RcYUWGjGRobEAFCeHkzQceC+EAAAABTbgoyUVAj
        P/gAAAAAAAAzQchLm4gAAABReFFCCAsUHCczOUJDREhfYWdyd3x+iIqLjZaZm5+hpK2xs7zFxwAAAAAA
        AAEBAAAAAAAAACIAAAAAAAAAAAAAAAAAAADJ
        """#

    /// The XML form.
    static let xml = #"""
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <array>
          <dict>
            <key>dueDate</key>
            <date>2026-12-01T09:00:00Z</date>
            <key>isComplete</key>
            <false/>
            <key>projectName</key>
            <string></string>
            <key>title</key>
            <string>Gym</string>
          </dict>
          <dict>
            <key>b</key>
            <true/>
            <key>extra</key>
            <integer>5</integer>
            <key>finishDate</key>
            <date>2026-11-01T10:00:00Z</date>
            <key>isComplete</key>
            <true/>
            <key>nest</key>
            <dict>
              <key>a</key>
              <array>
                <integer>1</integer>
                <data>
                eHk=
                </data>
                <date>2026-01-01T00:00:00Z</date>
              </array>
            </dict>
            <key>note</key>
            <string>n
        2</string>
            <key>projectName</key>
            <string>P</string>
            <key>r</key>
            <real>1.5</real>
            <key>startDate</key>
            <date>2026-11-01T09:00:00Z</date>
            <key>t</key>
            <string>x</string>
            <key>title</key>
            <string>B</string>
          </dict>
        </array>
        </plist>
        """#
}
