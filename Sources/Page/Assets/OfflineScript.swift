/// The scripts by which the page outlives the program: what is typed is kept, and a shell stands in for every screen.
enum OfflineScript {
    /// Keeps what is typed in a form until the program has taken it.
    static let drafts = #"""
        // One draft for each form, in the storage of this tab: it outlives the page and the program.
        const prefix = "draft ";
        const named = (form, name) => form.querySelector(`input[type=hidden][name="${name}"]`)?.value ?? "";

        // Forms that only have buttons, files or codes have nothing to keep.
        export function isKept(form) {
          return form?.method === "post" && !form.matches(".list")
            && Boolean(form.querySelector("input[type=text], input[type=search], textarea"))
            && !form.querySelector("[name=digits]");
        }

        export function draftName(form) {
          return prefix + [form.getAttribute("action"), named(form, "id"), named(form, "field")]
            .filter(Boolean).join(" ");
        }

        export function values(form) {
          const found = {};
          for (const [name, value] of new FormData(form)) {
            if (name !== "token" && typeof value === "string") found[name] = value;
          }
          return found;
        }

        export function read(name) {
          try { return JSON.parse(sessionStorage.getItem(name) ?? "null"); } catch { return null; }
        }

        export function write(name, found) {
          try { sessionStorage.setItem(name, JSON.stringify(found)); } catch { /* No room is left. */ }
        }

        export const keep = (form) => write(draftName(form), values(form));
        export const forget = (form) => sessionStorage.removeItem(draftName(form));
        export const has = (form) => sessionStorage.getItem(draftName(form)) !== null;

        // All drafts, each with the path of its form.
        export function all() {
          const found = [];
          for (let index = 0; index < sessionStorage.length; index += 1) {
            const name = sessionStorage.key(index);
            if (!name.startsWith(prefix)) continue;
            const draft = read(name);
            if (draft) found.push({ name, path: name.slice(prefix.length).split(" ")[0], draft });
          }
          return found;
        }
        """#

    /// Runs the shell: shows the drafts, takes more, and brings the screen back once the program runs.
    static let shell = #"""
        import { all, read, write } from "./drafts.js";

        const line = document.getElementById("f-line");
        const lineName = "draft /add";
        line.value = read(lineName)?.line ?? "";
        line.addEventListener("input", () => write(lineName, { ...read(lineName), line: line.value }));
        line.form.addEventListener("submit", (event) => {
          event.preventDefault();
          document.getElementById("said").textContent =
            "Kept here. Once the program runs, the line is in the page, and Enter adds it.";
        });

        // Fields that only the program reads.
        const hidden = ["base", "seen", "back", "id", "field", "operation", "token"];

        function control(name, value, change) {
          const label = document.createElement("label");
          const long = name === "notes" || name === "text" || value.includes("\n");
          const input = document.createElement(long ? "textarea" : "input");
          if (long) input.rows = 6; else input.type = "text";
          input.dir = "auto";
          input.value = value;
          input.addEventListener("input", () => change(input.value));
          const words = document.createElement("span");
          words.textContent = name.replace("field.", "");
          label.append(words, input);
          return label;
        }

        const place = document.getElementById("drafts");
        for (const { name, path, draft } of all()) {
          if (name === lineName) continue;
          const section = document.createElement("fieldset");
          const legend = document.createElement("legend");
          legend.textContent = draft["field.title"] ?? path;
          section.append(legend);
          for (const [key, value] of Object.entries(draft)) {
            if (hidden.includes(key) || !value) continue;
            section.append(control(key, value, (text) => write(name, { ...read(name), [key]: text })));
          }
          place.append(section);
        }
        if (place.children.length) document.getElementById("kept").hidden = false;

        // Any answer means that the program runs again.
        let wait = 500;
        async function look() {
          try {
            await fetch("/manifest.webmanifest", { cache: "no-store" });
            location.reload();
          } catch {
            wait = Math.min(wait * 1.5, 5000);
            setTimeout(look, wait);
          }
        }
        setTimeout(look, wait);
        """#

    /// The service worker: where the program does not answer, the shell does.
    ///
    /// It keeps files of the program, and no data.
    ///
    /// - Parameters:
    ///   - version: another one for other files.
    ///   - files: the paths that it keeps; the first is the shell's.
    static func worker(version: String, files: [String]) -> String {
        let list = files.map { "\"\($0)\"" }.joined(separator: ", ")
        return #"""
            const version = "tandem-\#(version)";
            const files = [\#(list)];
            const shell = files[0];

            addEventListener("install", (event) => {
              event.waitUntil(caches.open(version).then((cache) => cache.addAll(files)).then(() => skipWaiting()));
            });

            addEventListener("activate", (event) => {
              const old = async () => {
                for (const name of await caches.keys()) if (name !== version) await caches.delete(name);
                await clients.claim();
              };
              event.waitUntil(old());
            });

            addEventListener("fetch", (event) => {
              const { request } = event;
              if (request.method !== "GET") return;
              const { pathname } = new URL(request.url);
              const kept = request.mode === "navigate" ? shell : files.includes(pathname) ? pathname : null;
              if (kept) event.respondWith(fetch(request).catch(() => caches.match(kept)));
            });
            """#
    }
}
