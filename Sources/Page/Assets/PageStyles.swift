/// How the page looks: light and dark, from 320 pixels on, with nothing from outside.
enum PageStyles {
    static let text = #"""
        :root {
          color-scheme: light dark;
          --ground: #f7f7f5; --raised: #ffffff; --side: #efefec; --ink: #1d2125; --quiet: #5a636c;
          --line: #dfe0dd; --strong: #868e96; --accent: #0b5cad; --accent-ink: #ffffff; --late: #a4262c;
          --good: #19662f; --mark: #fff0b3; --soft: #e9eef4; --danger: #a4262c; --round: .5rem;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #15181b; --raised: #1e2226; --side: #1a1d21; --ink: #e6e9ec; --quiet: #a3adb8;
            --line: #30363c; --strong: #7d8791; --accent: #7cb7f5; --accent-ink: #0c1a28; --late: #ff9a94;
            --good: #7fd494; --mark: #57490f; --soft: #26303a; --danger: #ff9a94;
          }
        }
        * { box-sizing: border-box; }
        html { background: var(--ground); color: var(--ink); font: 100%/1.45 system-ui, sans-serif; scroll-padding: 4rem 0; }
        body { margin: 0; overflow-wrap: anywhere; }
        main { padding: .5rem 1rem 5rem; max-width: 54rem; margin: 0 auto; }
        a { color: var(--accent); text-underline-offset: .15em; }
        h1 { font-size: 1.6rem; line-height: 1.2; margin: .9rem 0 .8rem; letter-spacing: -.01em; }
        h1:focus { outline: 0; }
        h2 { font-size: 1rem; margin: 1.8rem 0 .5rem; }
        p { margin: .6rem 0; }
        ul, ol { padding-left: 1.3rem; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
        [hidden] { display: none !important; }
        .unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%);
          white-space: nowrap; }
        .skip { position: absolute; left: -100vw; background: var(--raised); padding: .5rem 1rem; }
        .skip:focus { left: 1rem; top: .5rem; z-index: 9; }
        .quiet, .hint, .foot, .empty { color: var(--quiet); }

        /* The screens: a bar on top; at the side where there is room. */
        .top { position: sticky; top: 0; z-index: 4; background: var(--side); border-bottom: 1px solid var(--line); }
        .top nav { display: flex; flex-wrap: wrap; justify-content: space-between; padding: 0 .5rem; }
        .top ul { list-style: none; margin: 0; padding: 0; }
        .top .first { display: flex; flex-wrap: wrap; }
        .top a, .menu { display: flex; gap: .4rem; align-items: center; padding: .5rem .6rem; min-height: 2.75rem;
          color: var(--ink); text-decoration: none; }
        .menu { border: 0; background: none; border-radius: 0; }
        .top a:hover, .menu:hover { background: var(--soft); }
        .top [aria-current] { font-weight: 600; box-shadow: inset 0 -3px var(--accent); }
        .group { margin: .8rem .6rem .2rem; font-size: .8rem; font-weight: 600; color: var(--quiet); }
        .count { min-width: 1.4rem; padding: 0 .4rem; border-radius: 1rem; background: var(--late); color: var(--raised);
          font-size: .8rem; font-weight: 700; text-align: center; }
        #more { border: 1px solid var(--line); border-radius: var(--round); background: var(--raised); color: var(--ink);
          inset: 3.2rem .5rem auto auto; width: 13rem; max-width: 95vw; max-height: 85vh; margin: 0; padding: .3rem;
          overflow-y: auto; box-shadow: 0 6px 24px #0004; }
        #more a { border-radius: .35rem; min-height: 2.5rem; }
        #more [aria-current] { box-shadow: inset 3px 0 var(--accent); }
        @media (min-width: 62rem) {
          body { display: grid; grid-template-columns: 14rem minmax(0, 1fr); }
          .top { height: 100vh; overflow-y: auto; border: 0; border-right: 1px solid var(--line); }
          .top nav { display: block; padding: 1rem .6rem; }
          .top .first { display: block; }
          .top a { min-height: 0; padding: .35rem .6rem; border-radius: .4rem; }
          #more a { min-height: 0; }
          .top [aria-current], #more [aria-current] { background: var(--accent); color: var(--accent-ink); box-shadow: none; }
          .menu { display: none; }
          #more { display: block; position: static; width: auto; max-height: none; padding: 0; border: 0; background: none;
            box-shadow: none; }
          main { padding: 1rem 2.5rem 5rem; margin: 0; width: 100%; max-width: 60rem; }
          main:first-child { grid-column: 1 / -1; }
        }

        /* Controls. */
        button, input, select, textarea { font: inherit; color: inherit; }
        button, a.button { display: inline-flex; align-items: center; gap: .3em; min-height: 2.4rem; padding: .3rem .9rem;
          border: 1px solid var(--strong); border-radius: var(--round); background: var(--raised); color: inherit;
          text-decoration: none; cursor: pointer; }
        button:hover, a.button:hover { border-color: var(--accent); background: var(--soft); }
        button.main { background: var(--accent); color: var(--accent-ink); border-color: var(--accent); font-weight: 600; }
        button.main:hover { filter: brightness(1.1); }
        button.quiet { min-height: 1.7rem; padding: .1rem .6rem; font-size: .85rem; }
        .danger { color: var(--danger); }
        button.danger, a.button.danger { border-color: var(--danger); }
        input[type=text], input[type=search], select, textarea { width: 100%; padding: .45rem .65rem; min-height: 2.4rem;
          background: var(--raised); border: 1px solid var(--strong); border-radius: var(--round); }
        input:focus-visible, select:focus-visible, textarea:focus-visible { outline-offset: 0; border-radius: var(--round); }
        .field, .todo, select, input { min-width: 0; max-width: 100%; }
        textarea { resize: vertical; line-height: 1.45; }
        ::placeholder { color: var(--quiet); opacity: 1; }
        label { display: block; margin-bottom: .2rem; font-size: .9rem; font-weight: 600; }
        .hint { margin: .25rem 0 0; font-size: .85rem; }
        .box { display: inline-flex; align-items: center; gap: .5rem; min-height: 2.4rem; margin: 0; font-weight: 400; }
        .box input, .choice input { width: 1.15rem; height: 1.15rem; flex: none; accent-color: var(--accent); }
        .inline { display: inline-block; }

        /* Lists. */
        .capture { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 .6rem; align-items: start; }
        .capture label { margin: 0; }
        .capture .field { grid-column: 1; } .capture button { grid-column: 2; grid-row: 1; }
        .capture output, .capture .hint { grid-column: 1 / -1; grid-row: 2; min-height: 1.4rem; margin: .25rem 0 0;
          font-size: .85rem; }
        .capture .hint { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
        .capture output:not(:empty) { background: var(--ground); z-index: 1; }
        .capture:not(:focus-within) .hint { visibility: hidden; }
        .capture .good { color: var(--good); }
        .capture .bad, .fault { color: var(--late); }
        .filter { display: grid; grid-template-columns: minmax(0, 1fr) auto auto auto; gap: .6rem; align-items: center;
          margin: .5rem 0 .3rem; }
        .filter label { margin: 0; }
        .filter select { width: auto; }
        .filter.days { grid-template-columns: minmax(0, 18rem) auto; justify-content: start; align-items: start; }
        .days button { margin-top: 1.5rem; }
        .keep { margin: .3rem 0; }
        .keep summary, .edit summary { cursor: pointer; color: var(--accent); min-height: 1.8rem; }
        .keep form { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; margin: .4rem 0 1rem; }
        .todos { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: var(--round);
          background: var(--raised); overflow: clip; }
        .list + .list .todos { border-top: 0; border-radius: 0; }
        #results section h2, #list section h2 { color: var(--quiet); font-size: .9rem; margin: 1.2rem .2rem .4rem; }
        .todo { display: grid; grid-template-columns: 2.7rem minmax(0, 1fr) auto; align-items: start; padding: .15rem .5rem .15rem 0;
          content-visibility: auto; contain-intrinsic-size: auto 3.4rem; }
        .todo + .todo { border-top: 1px solid var(--line); }
        .todo:hover, .todo:focus-within { background: var(--soft); }
        .todo .title { grid-column: 2; padding: .5rem .2rem .1rem; color: var(--ink); text-decoration: none; }
        .todo .title:last-of-type { padding-bottom: .5rem; }
        .todo .title:hover { text-decoration: underline; }
        .todo .details { grid-column: 2; padding: 0 .2rem .45rem; font-size: .85rem; color: var(--quiet);
          display: flex; flex-wrap: wrap; gap: 0 .9rem; }
        .todo .operations { grid-column: 3; grid-row: 1 / span 2; display: flex; gap: .3rem; padding: .35rem 0; }
        .todo .operations button { min-height: 2rem; padding: .1rem .6rem; font-size: .85rem; }
        @media (hover: hover) and (min-width: 40rem) {
          .todo .operations:not(.shown) { opacity: 0; }
          .todo:hover .operations, .todo:focus-within .operations { opacity: 1; }
        }
        .todo button.box { grid-column: 1; grid-row: 1 / span 2; width: 2.6rem; min-height: 2.5rem; padding: 0;
          border: 0; background: none; display: grid; place-items: center; }
        .todo button.box span { width: 1.3rem; height: 1.3rem; border: 2px solid var(--strong); border-radius: .35rem;
          display: grid; place-items: center; font-size: .9rem; line-height: 1; font-weight: 700; }
        .todo button.box:focus-visible { outline-offset: -3px; }
        .todo button.box:hover span { border-color: var(--accent); background: var(--soft); }
        .over button.box span { background: var(--strong); color: var(--raised); }
        .over .title { color: var(--quiet); text-decoration: line-through; }
        .high .title { font-weight: 650; }
        .running { box-shadow: inset 3px 0 var(--accent); }
        .depth1 { padding-left: 1.5rem; } .depth2 { padding-left: 3rem; }
        .depth3 { padding-left: 4.5rem; } .depth4 { padding-left: 6rem; }
        .late, .flag { color: var(--late); font-weight: 600; }
        .flag.run { color: var(--accent); }
        .found { flex-basis: 100%; }
        mark { background: var(--mark); color: inherit; border-radius: .15rem; }
        .empty { padding: 2rem 1rem; text-align: center; border: 1px dashed var(--line); border-radius: var(--round); }
        .foot { font-size: .85rem; margin: .8rem .2rem; }
        .all { margin: .8rem .2rem; }
        [data-screen=trash] .todo { grid-template-columns: minmax(0, 1fr) auto; padding-left: .6rem; }
        [data-screen=trash] .todo .title, [data-screen=trash] .todo .details { grid-column: 1; }
        [data-screen=trash] .todo .operations { grid-column: 2; }
        .sure { margin: .6rem .2rem; }

        /* What is told. */
        .notice, .fault, .verdict, .standing { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem .8rem;
          margin: .6rem 0; padding: .5rem .9rem; border-left: 4px solid var(--good); border-radius: .3rem;
          background: var(--soft); }
        .notice.refused, .fault, .verdict.trouble { border-color: var(--late); }
        .standing { border-color: var(--strong); }
        .fault { display: block; } .standing p { margin: 0; }
        .verdict { font-weight: 600; padding: .8rem 1rem; }
        .problems { list-style: none; padding: 0; }
        .problems li { padding: .5rem 1rem; border-left: 4px solid var(--late); margin: .4rem 0; background: var(--raised);
          border-radius: .3rem; }
        .live { position: fixed; z-index: 5; bottom: 1rem; left: 1rem; right: 1rem; pointer-events: none; }
        .live p { pointer-events: auto; display: flex; flex-wrap: wrap; gap: .4rem .8rem; align-items: center;
          width: fit-content; max-width: 100%; margin: 0 auto; padding: .5rem .9rem; background: var(--raised);
          border: 1px solid var(--accent); border-radius: var(--round); box-shadow: 0 4px 18px #0004; }

        /* A to-do and other screens. */
        .edit, .decide { display: grid; gap: .9rem 1rem; margin: 1rem 0; }
        .edit > button, .decide > button { justify-self: start; }
        .edit details { grid-column: 1 / -1; }
        .edit .rest { display: grid; gap: .9rem 1rem; margin-top: .9rem; }
        @media (min-width: 44rem) {
          .edit, .edit .rest { grid-template-columns: 1fr 1fr; align-items: start; }
          .edit .field:has(textarea), .edit .field:has(#f-field\.title), .edit > button { grid-column: 1 / -1; }
        }
        form.operations { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: .5rem 0 1rem; }
        dl { display: grid; gap: .45rem; } dl div { display: grid; grid-template-columns: 9rem minmax(0, 1fr); gap: 0 .8rem; }
        dt { color: var(--quiet); } dd { margin: 0; } dd ul { margin: 0; padding-left: 1.1rem; }
        .facts { margin-top: 1.5rem; padding-top: .5rem; border-top: 1px solid var(--line); font-size: .95rem; }
        .ways { list-style: none; padding: 0; } .ways li { margin: .3rem 0; }
        .history { list-style: none; padding: 0; }
        .history li { display: flex; flex-wrap: wrap; gap: .2rem .8rem; align-items: baseline; padding: .45rem .2rem;
          border-bottom: 1px solid var(--line); }
        .history .when { flex: 0 0 10rem; color: var(--quiet); font-size: .85rem; }
        .history .what { flex: 1 1 14rem; min-width: 0; }
        section.conflict, section.hold { border: 1px solid var(--line); border-radius: var(--round); padding: .2rem 1.1rem 1rem;
          margin: 1rem 0; background: var(--raised); }
        section.conflict h2 { font-size: 1.1rem; margin-top: .8rem; }
        fieldset { border: 0; padding: 0; margin: 0; min-width: 0; } legend { font-weight: 600; padding: 0; margin-bottom: .3rem; }
        .choice { display: flex; gap: .7rem; padding: .55rem .7rem; align-items: start; border: 1px solid var(--line);
          border-bottom: 0; }
        .choice:first-of-type { border-radius: .4rem .4rem 0 0; }
        .choice:has(+ .field.own), fieldset > :last-child { border-bottom: 1px solid var(--line); }
        .choice:has(:checked) { background: var(--soft); }
        .choice input { margin-top: .2rem; }
        .choice label { margin: 0; font-weight: 400; font-size: 1rem; flex: 1; min-width: 0; }
        .choice .value { display: block; white-space: pre-wrap; }
        .choice .author { display: block; font-size: .85rem; color: var(--quiet); }
        .field.own { padding: .5rem .7rem .7rem 2.6rem; border: 1px solid var(--line); border-top: 0;
          border-radius: 0 0 .4rem .4rem; }
        .choice:has(+ .field.own) { border-bottom: 0; }
        .base { color: var(--quiet); } q { quotes: none; white-space: pre-wrap; color: var(--ink); }
        .devices { list-style: none; padding: 0; border: 1px solid var(--line); border-radius: var(--round); background: var(--raised); }
        .devices li { display: flex; flex-wrap: wrap; gap: .2rem 1rem; align-items: center; justify-content: space-between;
          padding: .7rem 1rem; }
        .devices li + li { border-top: 1px solid var(--line); }
        .qr { display: block; width: min(18rem, 100%); height: auto; background: #fff; border-radius: .4rem; }
        code { overflow-wrap: anywhere; padding: .05rem .3rem; border-radius: .25rem; background: var(--soft); font-size: .92em; }
        #code { display: inline-block; padding: .5rem .8rem; font-size: 1.05rem; }
        .steps ul { list-style: none; margin: 0 0 .6rem; padding: 0; display: flex; gap: .5rem; }
        .steps a { display: inline-flex; align-items: center; min-height: 2.4rem; padding: 0 .9rem; border: 1px solid var(--line);
          border-radius: 2rem; background: var(--raised); text-decoration: none; }
        .steps a:hover { border-color: var(--accent); }

        .wide { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; background: var(--raised); }
        th, td { text-align: start; vertical-align: top; padding: .4rem .6rem; border: 1px solid var(--line); }
        thead th { font-size: .85rem; color: var(--quiet); font-weight: 600; }
        th { overflow-wrap: normal; } td { min-width: 3.2rem; }
        tbody th { font-weight: 500; }
        tfoot th, tfoot td { font-weight: 650; }
        .numbers td, .numbers thead th:not(:first-child) { text-align: end; font-variant-numeric: tabular-nums; }
        .hours { font-variant-numeric: tabular-nums; }
        .hours th { width: 5rem; color: var(--quiet); } .hours td { padding: .25rem .6rem; height: 2.2rem; }
        .hours ul { list-style: none; margin: 0; padding: 0; } .hours li { padding: .1rem 0; }
        .hours .when { color: var(--quiet); font-size: .85rem; }
        .hours li div.work { border-color: var(--accent); }
        .hours li div { padding-left: .5rem; border-left: 3px solid var(--strong); }
        .hours .now th { color: var(--accent); font-weight: 700; }
        .timer { margin-bottom: 1.2rem; }
        .month { min-width: 44rem; table-layout: fixed; } .month td { height: 5.5rem; font-size: .85rem; padding: .3rem .4rem; }
        .month ul { list-style: none; margin: .15rem 0 0; padding: 0; } .month li { margin: .1rem 0; line-height: 1.25; }
        .month li a { text-decoration: none; } .month li a:hover { text-decoration: underline; }
        .month .day { display: inline-block; min-width: 1.7rem; text-align: center; font-weight: 600; color: var(--ink);
          text-decoration: none; border-radius: 1rem; }
        .month .today .day { background: var(--accent); color: var(--accent-ink); }
        .month .some { display: none; }
        .month td:empty { background: var(--ground); }
        .chart { display: block; max-width: 100%; height: auto; margin: .8rem 0; border-radius: var(--round); }
        dialog { background: var(--raised); color: var(--ink); border: 1px solid var(--line); border-radius: .7rem;
          max-width: 26rem; padding: 1rem 1.4rem; box-shadow: 0 12px 48px #0006; }
        dialog::backdrop { background: #0006; }
        kbd { border: 1px solid var(--strong); border-bottom-width: 2px; border-radius: .3rem; padding: 0 .4rem; font-size: .85rem;
          background: var(--ground); font-family: inherit; }
        [data-screen=shell] fieldset { border: 1px solid var(--line); border-radius: var(--round); padding: .5rem 1rem 1rem;
          margin: .6rem 0; }
        [data-screen=shell] legend { padding: 0 .4rem; }

        @media (max-width: 40rem) {
          .top nav { padding: 0 .2rem; }
          .top .first a, .menu { padding: .5rem .5rem; }
          .filter { grid-template-columns: minmax(0, 1fr) auto; gap: .5rem; }
          .filter > button { grid-row: 1; grid-column: 2; }
          .filter select { width: 100%; }
          .month { min-width: 0; }
          .month td { height: 3.4rem; padding: .2rem; text-align: center; }
          .month thead th { padding: .2rem; text-align: center; font-size: .75rem; }
          .month ul, .month .others { display: none; }
          .month .some { display: block; width: 1.4rem; margin: .1rem auto 0; border-radius: 1rem;
            background: var(--soft); font-size: .75rem; }
          .todo { grid-template-columns: 2.7rem minmax(0, 1fr); }
          .todo .operations { grid-column: 2; grid-row: auto; flex-wrap: wrap; }
          .todo:not(:focus-within) .operations:not(.shown) { display: none; }
          [data-screen=trash] .todo { grid-template-columns: minmax(0, 1fr); }
          [data-screen=trash] .todo .operations { grid-column: 1; }
          dl div { grid-template-columns: minmax(0, 1fr); }
          .history .when { flex-basis: 100%; }
        }
        @media (prefers-reduced-motion: reduce) {
          * { scroll-behavior: auto !important; transition: none !important; animation: none !important; }
        }
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
