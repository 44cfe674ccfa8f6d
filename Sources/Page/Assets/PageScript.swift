/// The script of every screen: it makes quicker what works without it.
enum PageScript {
    static let text = #"""
        import { draftName, forget, has, isKept, keep, read } from "./drafts.js";
        import { get, listen, parse, refresh, replace, replaceResults, say, setDirty, token } from "./live.js";

        const field = (id) => document.getElementById(id);
        const later = (wait, operation) => {
          let timer;
          return (...rest) => { clearTimeout(timer); timer = setTimeout(() => operation(...rest), wait); };
        };

        // MARK: Typing

        let asked = 0;
        const echo = later(30, async (line) => {
          const number = ++asked;
          const output = field("echo");
          if (!output) return;
          try {
            const { page } = await get("/echo?line=" + encodeURIComponent(line));
            if (number === asked) output.replaceChildren(...page.body.childNodes);
          } catch { output.replaceChildren(); }
        });

        let filtered = 0;
        const filter = later(30, async (form) => {
          const number = ++filtered;
          const query = new URLSearchParams(new FormData(form));
          for (const [name, value] of [...query]) if (!value) query.delete(name);
          const text = query.toString();
          const path = location.pathname + (text ? "?" + text : "");
          try {
            const { page } = await get(path);
            if (number !== filtered) return;
            replaceResults(page);
            history.replaceState(null, "", path);
          } catch { /* The line at the foot says that nothing is connected. */ }
        });

        document.addEventListener("input", (event) => {
          if (event.target.id === "f-line") echo(event.target.value);
          const search = event.target.closest?.("#filter");
          if (search) filter(search);
          const form = event.target.closest?.("form");
          if (isKept(form)) keep(form);
        });

        // MARK: Drafts: what is typed outlives the page and the program

        // Fields that name a control of a form: one of them, or the choices of one name.
        function put(form, name, value) {
          const control = form.elements.namedItem(name);
          if (!control || control.type === "checkbox" || control.value === value) return false;
          control.value = value;
          return control.type !== "hidden";
        }

        function recall() {
          for (const form of document.forms) {
            const kept = isKept(form) && read(draftName(form));
            if (!kept) continue;
            let isOther = false;
            for (const [name, value] of Object.entries(kept)) {
              if (name !== "back" && put(form, name, value)) isOther = true;
            }
            if (isOther && form.id === "edit") say("What you typed before is here again.", "Drop it", () => {
              forget(form);
              location.reload();
            });
            if (form.id === "capture" && form.elements.line.value) echo(form.elements.line.value);
          }
        }

        setDirty(() => {
          const form = field("edit");
          return Boolean(form && has(form));
        });

        // MARK: Sending

        document.addEventListener("submit", async (event) => {
          const form = event.target;
          if (form.method !== "post" || event.defaultPrevented) return;
          event.preventDefault();
          const fields = new FormData(form, event.submitter);
          const body = form.enctype.startsWith("multipart") ? fields : new URLSearchParams(fields);
          if (event.submitter) event.submitter.disabled = true;
          try {
            const response = await fetch(form.getAttribute("action"), {
              method: "POST", body, headers: { "x-tandem-token": token },
            });
            const page = parse(await response.text());
            if (!page.getElementById("main")) throw new Error("no page");
            if (response.ok) {
              forget(form);
              if (form.id === "capture") { form.elements.line.value = ""; field("echo")?.replaceChildren(); }
            }
            const url = new URL(response.url);
            replace(page, response.ok ? url.pathname + url.search : undefined, !response.redirected);
          } catch {
            if (isKept(form)) keep(form);
            say("Nothing was saved: the program does not answer. What you typed is still here.", "Try again",
              () => form.requestSubmit(event.submitter?.isConnected ? event.submitter : undefined));
          } finally {
            if (event.submitter) event.submitter.disabled = false;
          }
        });

        document.addEventListener("click", async (event) => {
          const all = event.target.closest?.("a#all");
          if (all) {
            event.preventDefault();
            const { page } = await get(all.getAttribute("href"));
            history.replaceState(null, "", all.getAttribute("href"));
            replaceResults(page);
          }
        });

        // MARK: Keys

        const rows = () => [...document.querySelectorAll("li.todo")];
        const row = () => document.activeElement?.closest?.("li.todo");

        function step(by) {
          const all = rows();
          if (!all.length) return;
          const index = row() ? all.indexOf(row()) + by : by > 0 ? 0 : all.length - 1;
          const link = all[Math.max(0, Math.min(all.length - 1, index))].querySelector("a.title");
          link.focus();
          link.scrollIntoView({ block: "nearest" });
        }

        function press(...names) {
          const here = row() ?? document.querySelector("form.operations");
          for (const name of names) {
            const button = here?.querySelector(`button[name="${name}"]`);
            if (button) { button.click(); return; }
          }
        }

        const goTo = { a: "/", t: "/view/today", u: "/view/upcoming", g: "/agenda", c: "/conflicts" };
        const keys = {
          n: () => field("f-line")?.focus(), "/": () => field("f-q")?.focus(),
          j: () => step(1), k: () => step(-1), x: () => press("done", "reopen"),
          s: () => press("start", "stop"), m: () => press("tomorrow"), Delete: () => press("delete"),
          z: () => document.querySelector('#notices form[action="/undo"] button')?.click(),
          "?": () => { field("keys-on").checked = areKeysOn(); field("keys").showModal(); },
        };

        // Whoever speaks to the browser may have letters typed that were not meant as keys.
        const areKeysOn = () => localStorage.getItem("keys") !== "off";
        document.addEventListener("change", (event) => {
          if (event.target.id === "keys-on") localStorage.setItem("keys", event.target.checked ? "on" : "off");
        });

        document.addEventListener("keydown", (event) => {
          if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
          if (event.target.closest?.("input, textarea, select, dialog")) {
            if (event.key === "Escape" && !event.target.closest("dialog")) event.target.blur();
            return;
          }
          if (!areKeysOn() && event.key !== "?") return;
          if (goTo[event.key]) { location.assign(goTo[event.key]); return; }
          if (!keys[event.key]) return;
          event.preventDefault();
          keys[event.key]();
        });

        // A long list comes whole once its end is near.
        const end = new IntersectionObserver((entries) => {
          if (entries.some((entry) => entry.isIntersecting)) field("all")?.click();
        }, { rootMargin: "600px" });
        const watchEnd = () => { end.disconnect(); const all = field("all"); if (all) end.observe(all); };

        document.addEventListener("tandem:shown", () => { watchEnd(); recall(); });
        addEventListener("popstate", () => refresh(true));
        listen(new URL("./stream.js", import.meta.url).pathname);
        watchEnd();
        recall();
        // While the program does not run, a shell stands in for the screens.
        navigator.serviceWorker?.register("/worker.js").catch(() => {});
        """#
}
