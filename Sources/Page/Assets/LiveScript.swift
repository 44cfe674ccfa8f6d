/// The script that brings what changed elsewhere into the page, without moving anything under the cursor.
enum LiveScript {
    static let text = #"""
        // Puts a new version of this screen in its place, row by row.
        function meta(page, name) { return page.querySelector(`meta[name="${name}"]`)?.content ?? ""; }
        export const token = meta(document, "tandem-token");
        const main = () => document.getElementById("main");
        const screen = () => main()?.dataset.screen ?? "";
        let pending = 0;
        let isDirty = () => false;
        // After so long, in milliseconds, a page that could not be had is asked for again.
        const retryTime = 2000;

        // The event that came last when a page was made: the page shows all up to it. A failure shows nothing, and has none.
        function lastEvent(page) { return meta(page, "tandem-event"); }
        let shown = lastEvent(document);
        let isAlone = false;

        export function setDirty(test) { isDirty = test; }

        export function parse(text) { return new DOMParser().parseFromString(text, "text/html"); }

        // What was done is told once, on the page that asked for it, and not where a page only looks.
        export async function get(path) {
          const response = await fetch(path, { headers: { "x-tandem-token": token, "x-tandem-quiet": "1" } });
          return { response, page: parse(await response.text()) };
        }

        // A line at the foot: what is going on, and a button that goes on.
        export function say(text, word, operation) {
          const live = document.getElementById("live");
          live.replaceChildren();
          if (!text) return;
          const line = document.createElement("p");
          line.append(text);
          if (word) {
            const button = document.createElement("button");
            button.type = "button";
            button.textContent = word;
            button.addEventListener("click", operation);
            line.append(button);
          }
          live.append(line);
        }

        function focusKey() {
          const element = document.activeElement;
          if (!element || element === document.body) return null;
          const row = element.closest?.("li.todo");
          if (element.id) return { id: element.id };
          if (row) {
            const rows = [...document.querySelectorAll("li.todo")];
            return { row: row.id, name: element.name ?? "", index: rows.indexOf(row) };
          }
          return null;
        }

        function setFocus(key) {
          if (!key) return;
          if (key.id) { document.getElementById(key.id)?.focus(); return; }
          const rows = [...document.querySelectorAll("li.todo")];
          const row = document.getElementById(key.row) ?? rows[Math.min(key.index, rows.length - 1)];
          if (!row) { document.getElementById("f-line")?.focus(); return; }
          const same = key.name && row.querySelector(`[name="${key.name}"]`);
          (same || row.querySelector("a.title"))?.focus();
        }

        // Whoever is in a list must not lose the row under the pointer or the focus.
        function isInUse() {
          const results = document.getElementById("results") ?? document.getElementById("list");
          if (!results) return main().contains(document.activeElement);
          return results.contains(document.activeElement) || results.matches(":hover") || scrollY > 40;
        }

        function rowsById(root) {
          const rows = new Map();
          for (const row of root.querySelectorAll("li.todo")) rows.set(row.id, row);
          return rows;
        }

        // Rows that stay where they are show what is new of them.
        function patch(page) {
          const fresh = rowsById(page);
          let left = 0;
          for (const [id, row] of rowsById(document)) {
            const other = fresh.get(id);
            if (!other || other.outerHTML === row.outerHTML) continue;
            if (row.contains(document.activeElement)) left += 1;
            else row.replaceWith(document.importNode(other, true));
          }
          return left;
        }

        function shape(root) {
          const parts = root.querySelectorAll("#list h2, #list li.todo");
          return [...parts].map((part) => part.id + (part.localName === "h2" ? part.textContent : "")).join();
        }

        // An answer to what was sent is on no path: asking for its path again would take it away.
        export function replace(page, path, isAnswer = false) {
          const key = focusKey();
          const fresh = page.getElementById("main");
          if (!fresh) return false;
          const kept = new Map();
          for (const id of ["f-line", "f-q"]) {
            const field = document.getElementById(id);
            if (field) kept.set(id, field.value);
          }
          const isSame = fresh.dataset.screen === screen();
          main().replaceWith(document.importNode(fresh, true));
          const header = page.querySelector("header.top");
          if (header) document.querySelector("header.top")?.replaceWith(document.importNode(header, true));
          document.title = page.title;
          if (path && path !== location.pathname + location.search) history.pushState(null, "", path);
          if (isSame) for (const [id, value] of kept) {
            const field = document.getElementById(id);
            if (field) field.value = value;
          }
          shown = lastEvent(page) || shown;
          isAlone = isAnswer;
          pending = 0;
          say("");
          if (isSame) setFocus(key);
          else document.querySelector("h1")?.setAttribute("tabindex", "-1"), document.querySelector("h1")?.focus();
          document.dispatchEvent(new Event("tandem:shown"));
          return true;
        }

        // The results alone, as while a filter is typed.
        export function replaceResults(page) {
          const fresh = page.getElementById("results");
          const old = document.getElementById("results");
          if (!fresh || !old) return;
          old.replaceWith(document.importNode(fresh, true));
          pending = 0;
          say("");
          document.dispatchEvent(new Event("tandem:shown"));
        }

        // Whether the program answered; what it refuses is not asked again.
        export async function refresh(force = false) {
          if (isAlone && !force) return true;
          const path = location.pathname + location.search;
          const { response, page } = await get(path);
          // Whoever went on meanwhile must not be taken back.
          if (isAlone && !force) return true;
          if (path !== location.pathname + location.search) return refresh(force);
          if (!response.ok) return response.status < 500;
          shown = lastEvent(page) || shown;
          if (force) replace(page);
          else show(page);
          return true;
        }

        function show(page) {
          const hasList = document.getElementById("list") || document.getElementById("results");
          if (!hasList) {
            if (isDirty()) {
              say("This was changed elsewhere meanwhile. Saving keeps both.");
            } else if (isInUse()) {
              say("Something changed.", "Show", () => refresh(true));
            } else {
              const told = [...document.getElementById("notices").childNodes];
              replace(page);
              document.getElementById("notices")?.replaceChildren(...told);
            }
            return;
          }
          if (isInUse()) {
            const left = patch(page);
            if (shape(page) === shape(document) && left === 0) return;
            pending += 1;
            say(pending === 1 ? "1 change arrived" : `${pending} changes arrived`, "Show", () => refresh(true));
            return;
          }
          if (shape(page) === shape(document)) { patch(page); replaceFoot(page); } else replaceResults(page);
        }

        function replaceFoot(page) {
          const fresh = page.querySelector("#results .foot");
          if (fresh) document.querySelector("#results .foot")?.replaceWith(document.importNode(fresh, true));
        }

        // Without a shared worker each tab has a stream of its own.
        export function listen(path) {
          let isLost = false;
          let running = false;
          let again = false;
          let retry = 0;
          const news = async () => {
            if (running) { again = true; return; }
            running = true;
            clearTimeout(retry);
            let isAnswered;
            do {
              again = false;
              // Each page counts for itself: the last one asked for may fail behind others that came.
              try { isAnswered = await refresh(); } catch { isAnswered = false; }
            } while (again);
            running = false;
            if (!isAnswered) retry = setTimeout(news, retryTime);
          };
          const take = (message) => {
            if (message.kind === "open" || message.kind === "lost") document.body.dataset.live = message.kind;
            if (message.kind === "changes" || message.kind === "all") news();
            else if (message.kind === "lost") {
              isLost = true;
              say("Not connected: the program has stopped or starts anew. What you type stays here.");
            } else if (message.kind === "open" && isLost) {
              isLost = false;
              say("");
              news();
            } else if (shown && message.id && message.id !== shown) {
              // What changed between the page and the start of its stream is told by no event: its id shows it.
              news();
            }
          };
          if (typeof SharedWorker === "function") {
            const worker = new SharedWorker(path, { type: "module", name: "tandem" });
            worker.port.onmessage = (event) => take(event.data);
            addEventListener("pagehide", () => worker.port.postMessage("bye"));
            addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
            return;
          }
          const source = new EventSource("/events");
          for (const kind of ["begin", "changes", "all"]) {
            source.addEventListener(kind, (event) => take({ kind, id: event.lastEventId }));
          }
          source.onopen = () => take({ kind: "open" });
          source.onerror = () => take({ kind: "lost" });
        }
        """#
}
