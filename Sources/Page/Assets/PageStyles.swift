/// How the page looks: light and dark, from 320 pixels on, with nothing from outside.
enum PageStyles {
    static let text = #"""
        :root {
          color-scheme: light dark;
          --ground: #fbfaf8; --raised: #ffffff; --ink: #1f2428; --quiet: #57606a; --line: #d5d9de;
          --strong: #8a929b; --accent: #0b5cad; --accent-ink: #ffffff; --late: #a4262c;
          --good: #19662f; --mark: #fff0b3; --soft: #eef3f8; --danger: #a4262c;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #14171a; --raised: #1c2024; --ink: #e6e9ec; --quiet: #a3adb8; --line: #343b42;
            --strong: #7d8791; --accent: #7cb7f5; --accent-ink: #0c1a28; --late: #ff9a94;
            --good: #7fd494; --mark: #57490f; --soft: #222a32; --danger: #ff9a94;
          }
        }
        * { box-sizing: border-box; }
        html { background: var(--ground); color: var(--ink); font: 100%/1.5 system-ui, sans-serif; }
        body { margin: 0 auto; max-width: 62rem; padding: 0 1rem 4rem; overflow-wrap: anywhere; }
        a { color: var(--accent); }
        h1 { font-size: 1.6rem; line-height: 1.2; margin: 1.2rem 0 .8rem; }
        h2 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
        .skip { position: absolute; left: -100vw; background: var(--raised); padding: .5rem 1rem; }
        .skip:focus { left: 1rem; top: .5rem; z-index: 9; }

        .top { border-bottom: 1px solid var(--line); }
        .top ul, .own ul, .steps ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; }
        .top a, .top summary { display: inline-block; padding: .6rem .7rem; color: var(--ink);
          text-decoration: none; cursor: pointer; min-height: 2.75rem; }
        .top a:hover, .top summary:hover { text-decoration: underline; }
        .top [aria-current], .top .current { font-weight: 600; box-shadow: inset 0 -3px var(--accent); }
        .count { font-weight: 700; color: var(--late); }
        .more { position: relative; }
        .more[open] ul { position: absolute; right: 0; z-index: 5; display: block; min-width: 11rem;
          background: var(--raised); border: 1px solid var(--line); border-radius: .4rem;
          box-shadow: 0 4px 16px #0003; }
        .more ul a { display: block; }
        .own a, .steps a { display: inline-block; padding: .35rem .8rem; margin: 0 .4rem .4rem 0;
          border: 1px solid var(--line); border-radius: 2rem; background: var(--raised);
          text-decoration: none; }
        .own [aria-current] { background: var(--accent); color: var(--accent-ink); }

        button, input, select, textarea { font: inherit; color: inherit; }
        button { min-height: 2.5rem; padding: .35rem .9rem; border: 1px solid var(--strong);
          border-radius: .4rem; background: var(--raised); cursor: pointer; }
        button:hover { border-color: var(--accent); }
        button.main { background: var(--accent); color: var(--accent-ink); border-color: var(--accent); }
        button.quiet { min-height: 0; padding: .1rem .5rem; font-size: .85rem; color: var(--quiet); }
        .danger { color: var(--danger); }
        button.danger { border-color: var(--danger); }
        input[type=text], input[type=search], select, textarea { width: 100%; padding: .5rem .6rem;
          min-height: 2.5rem; background: var(--raised); border: 1px solid var(--strong);
          border-radius: .4rem; }
        .field, .todo, select, input { min-width: 0; max-width: 100%; }
        textarea { font-family: inherit; resize: vertical; }
        label { display: block; font-size: .9rem; font-weight: 600; }
        .hint { margin: .2rem 0 0; font-size: .85rem; color: var(--quiet); }
        .box { display: inline-flex; align-items: center; gap: .5rem; min-height: 2.5rem; font-weight: 400; }
        .box input, .choice input { width: 1.2rem; height: 1.2rem; flex: none; accent-color: var(--accent); }
        .inline { display: inline-block; margin-left: .5rem; }
        .quiet { color: var(--quiet); }

        .capture { display: grid; grid-template-columns: 1fr auto; gap: 0 .6rem; align-items: start; }
        .capture > button { margin-top: 1.5rem; background: var(--accent); color: var(--accent-ink);
          border-color: var(--accent); }
        .capture output { grid-column: 1 / -1; min-height: 1.5rem; font-size: .9rem; }
        .capture .good { color: var(--good); }
        .capture .bad, .fault { color: var(--late); }
        .filter { display: grid; gap: .6rem; align-items: end; margin: .6rem 0;
          grid-template-columns: minmax(12rem, 1fr) auto auto auto; align-items: start; }
        .filter > button, .filter > .box { margin-top: 1.5rem; }
        .keep { margin-bottom: .6rem; }
        .keep summary { cursor: pointer; color: var(--accent); }

        .todos { list-style: none; margin: 0; padding: 0; }
        .todo { display: grid; grid-template-columns: 2.6rem minmax(0, 1fr) auto; align-items: start;
          column-gap: .3rem; border-bottom: 1px solid var(--line); padding: .25rem 0;
          content-visibility: auto; contain-intrinsic-size: auto 3.4rem; }
        [data-screen=trash] .todo { grid-template-columns: minmax(0, 1fr) auto; }
        .todo:hover, .todo:focus-within { background: var(--soft); }
        .todo .title { grid-column: 2; padding: .45rem .2rem 0; color: var(--ink); text-decoration: none; }
        [data-screen=trash] .todo .title { grid-column: 1; }
        .todo .title:hover { text-decoration: underline; }
        .todo .details { grid-column: 2; padding: 0 .2rem .3rem; font-size: .85rem; color: var(--quiet);
          display: flex; flex-wrap: wrap; gap: 0 .8rem; }
        [data-screen=trash] .todo .details { grid-column: 1; }
        .todo .operations { grid-column: 3; grid-row: 1 / span 2; display: flex; gap: .3rem; padding: .3rem 0; }
        .todo .operations button { min-height: 2rem; padding: .1rem .6rem; font-size: .85rem; }
        @media (hover: hover) and (min-width: 40rem) {
          .todo .operations { opacity: 0; }
          .todo:hover .operations, .todo:focus-within .operations, .todo .operations.shown { opacity: 1; }
        }
        .todo button.box { grid-column: 1; grid-row: 1 / span 2; width: 2.4rem; min-height: 2.4rem; padding: 0;
          border: 0; background: none; display: grid; place-items: center; }
        .todo button.box span { width: 1.35rem; height: 1.35rem; border: 2px solid var(--strong);
          border-radius: .3rem; line-height: 1rem; font-size: .95rem; font-weight: 700; }
        .todo button.box:hover span { border-color: var(--accent); }
        .over .title { color: var(--quiet); text-decoration: line-through; }
        .high .title { font-weight: 600; }
        .running { box-shadow: inset 4px 0 var(--accent); }
        .depth1 { padding-left: 1.5rem; } .depth2 { padding-left: 3rem; }
        .depth3 { padding-left: 4.5rem; } .depth4 { padding-left: 6rem; }
        .late, .flag { color: var(--late); font-weight: 600; }
        .flag.run { color: var(--accent); }
        .found { flex-basis: 100%; }
        mark { background: var(--mark); color: inherit; }
        .empty { padding: 1.5rem 0; color: var(--quiet); }
        .foot { color: var(--quiet); font-size: .9rem; }

        .notice { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem .8rem; margin: .6rem 0;
          padding: .5rem .8rem; border-left: 4px solid var(--good); background: var(--soft); }
        .notice.refused { border-color: var(--late); }
        .fault { border-left: 4px solid var(--late); padding: .5rem .8rem; background: var(--soft); }
        .live { position: sticky; bottom: 0; }
        .live p { display: flex; gap: .8rem; align-items: center; margin: 0; padding: .6rem .9rem;
          background: var(--raised); border: 1px solid var(--accent); border-radius: .5rem;
          box-shadow: 0 2px 12px #0003; }

        .edit, .decide { display: grid; gap: .9rem; margin: 1rem 0; }
        @media (min-width: 44rem) {
          .edit { grid-template-columns: 1fr 1fr; }
          .edit .field:has(textarea), .edit .field:has(#f-field\.title), .edit > button { grid-column: 1 / -1; }
        }
        .edit > button, .decide > button { justify-self: start; }
        form.operations { display: flex; flex-wrap: wrap; gap: .5rem; margin: .5rem 0 1rem; }
        dl { display: grid; gap: .4rem; } dl div { display: grid; grid-template-columns: 9rem minmax(0, 1fr); }
        dt { color: var(--quiet); } dd { margin: 0; } dd ul { margin: 0; padding-left: 1.1rem; }
        .history li { margin: .4rem 0; }
        section.conflict { border: 1px solid var(--line); border-radius: .5rem; padding: .2rem 1rem 1rem; margin: 1rem 0;
          background: var(--raised); }
        fieldset { border: 0; padding: 0; margin: 0; min-width: 0; } legend { font-weight: 600; padding: 0; }
        .choice { display: flex; gap: .7rem; padding: .5rem 0; align-items: start; }
        .choice label { font-weight: 400; font-size: 1rem; white-space: pre-wrap; }
        .choice .author { display: block; font-size: .85rem; color: var(--quiet); }
        .base { color: var(--quiet); } q { quotes: none; white-space: pre-wrap; color: var(--ink); }
        .field.own { padding-left: 1.9rem; }
        .edit details { grid-column: 1 / -1; } .edit summary { cursor: pointer; color: var(--accent); }
        .edit .rest { display: grid; gap: .9rem; margin-top: .9rem; }
        @media (min-width: 44rem) { .edit .rest { grid-template-columns: 1fr 1fr; } }
        .qr { display: block; width: min(20rem, 100%); height: auto; background: #fff; }
        code { overflow-wrap: anywhere; }

        .wide { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; }
        th, td { text-align: start; vertical-align: top; padding: .35rem .5rem; border: 1px solid var(--line); }
        .numbers td { text-align: end; font-variant-numeric: tabular-nums; }
        .month { min-width: 44rem; table-layout: fixed; } .month td { height: 5.5rem; font-size: .85rem; }
        .month ul { list-style: none; margin: 0; padding: 0; } .month .day { font-weight: 600; }
        .month .today { background: var(--soft); box-shadow: inset 0 3px var(--accent); }
        .chart { max-width: 100%; height: auto; }
        .verdict { padding: .7rem 1rem; border-left: 5px solid var(--late); background: var(--soft); }
        .verdict.green { border-color: var(--good); }
        dialog { background: var(--raised); color: var(--ink); border: 1px solid var(--line);
          border-radius: .6rem; max-width: 30rem; }
        kbd { border: 1px solid var(--strong); border-radius: .3rem; padding: 0 .35rem; font-size: .85rem; }

        @media (max-width: 40rem) {
          body { padding: 0 .7rem 4rem; }
          .filter { grid-template-columns: 1fr auto; }
          .filter .field { grid-column: 1 / -1; } .filter > button, .filter > .box { margin-top: 0; }
          .todo { grid-template-columns: 2.6rem minmax(0, 1fr); }
          .todo .operations { grid-column: 2; grid-row: auto; opacity: 1; }
          .todo:not(:focus-within) .operations:not(.shown) { display: none; }
          [data-screen=trash] .todo { grid-template-columns: minmax(0, 1fr); }
          [data-screen=trash] .todo .operations { grid-column: 1; }
          dl div { grid-template-columns: 1fr; }
          .more[open] ul { right: auto; left: 0; }
        }
        @media (prefers-reduced-motion: reduce) { * { scroll-behavior: auto; transition: none; animation: none; } }
        @media (forced-colors: active) { .todo button.box span { border-color: ButtonText; } }
        """#

    /// The sign in a browser's tab.
    static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">\
        <rect width="32" height="32" rx="7" fill="#0b5cad"/>\
        <path d="M8 17l5 5L24 10" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" \
        stroke-linejoin="round"/></svg>
        """
}
