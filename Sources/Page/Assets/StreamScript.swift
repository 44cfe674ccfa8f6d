/// The worker that all tabs share: one connection on which the program tells of changes.
enum StreamScript {
    static let text = #"""
        // One stream for all tabs: a browser opens few connections to one host.
        const ports = new Set();
        let source = null;
        let last = "";
        let state = "opening";

        function tell(message) {
          for (const port of ports) port.postMessage(message);
        }

        function open() {
          source = new EventSource("/events" + (last ? "?last=" + encodeURIComponent(last) : ""));
          const take = (kind) => (event) => {
            last = event.lastEventId;
            tell({ kind, data: event.data, id: last });
          };
          for (const kind of ["begin", "changes", "all"]) source.addEventListener(kind, take(kind));
          source.onopen = () => { state = "open"; tell({ kind: "open" }); };
          source.onerror = () => {
            if (state !== "lost") { state = "lost"; tell({ kind: "lost" }); }
            // A stream that is refused is not tried again by itself.
            if (source.readyState === EventSource.CLOSED) setTimeout(open, 2000);
          };
        }

        function add(port) {
          ports.add(port);
          port.onmessage = (event) => { if (event.data === "bye") ports.delete(port); };
          // While the stream is opened there is nothing to tell yet. What changed since the tab's page was made may
          // have been told already: its id says so.
          if (state !== "opening") port.postMessage({ kind: state, id: last });
          if (!source) open();
        }

        if (typeof SharedWorkerGlobalScope !== "undefined") onconnect = (event) => add(event.ports[0]);
        """#
}
