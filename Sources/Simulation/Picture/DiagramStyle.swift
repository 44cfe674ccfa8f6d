/// How the page looks, and the little that it does by itself.
enum DiagramStyle {
    /// The arrows of the legend: the class, the drawing in a box of 46 by 22, and what it stands for.
    static let arrows: [(name: String, drawing: String, meaning: String)] = [
        (
            "carry",
            "<path class=\"wire\" d=\"M2 6 42 16\"/><path class=\"tip\" d=\"M44 16.500 33.500 19 35.500 10Z\"/>",
            "a message that changed something"
        ),
        (
            "chat",
            "<path class=\"wire\" d=\"M4 11H42\"/><path class=\"tip\" d=\"M45 11 35 6.500V15.500ZM1 11 11 6.500V15.500Z\"/>",
            "messages that changed nothing, drawn as one"
        ),
        (
            "lost",
            "<path class=\"wire\" d=\"M2 6 36 14\"/><path class=\"x\" d=\"M32 9l10 10m0-10l-10 10\"/>",
            "a lost message"
        ),
        (
            "underway",
            "<path class=\"wire\" d=\"M2 6 38 14\"/><circle class=\"o\" cx=\"40\" cy=\"15\" r=\"4\"/>",
            "a message that had not arrived at the end"
        ),
    ]

    /// The style sheet.
    static let sheet = """
        :root{color-scheme:light dark;--paper:#fff;--soft:#f3f5f7;--ink:#1a1e23;--dim:#565f69;
        --line:#7d8792;--faint:#d5dae0;--act:#0b57c2;--take:#1b6e3c;--warn:#8a5200;--bad:#b3201a;
        --badsoft:#fdecea;--warnsoft:#ffe9b8}
        @media (prefers-color-scheme:dark){:root{--paper:#15181c;--soft:#1e2328;--ink:#e8ebee;
        --dim:#a3adb8;--line:#8a95a1;--faint:#3a424b;--act:#86b7ff;--take:#7ed49b;--warn:#f3c15c;
        --bad:#ff948c;--badsoft:#3b1d1c;--warnsoft:#4a3710}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--paper);color:var(--ink);
        font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
        a{color:var(--act)}
        .top,#moments,.omitted{position:sticky;left:0;max-width:min(100vw,1100px);padding:0 20px}
        .top{padding-top:18px}
        h1{font-size:25px;line-height:1.25;margin:0 0 10px;overflow-wrap:anywhere;text-wrap:balance}
        h2{font-size:19px;margin:36px 0 8px}
        p{margin:6px 0;overflow-wrap:anywhere}
        .badge{display:inline-block;padding:2px 10px;border-radius:6px;border:2px solid;margin-right:6px}
        .badge.good{color:var(--take)}
        .badge.bad{color:var(--bad);background:var(--badsoft)}
        .counts{color:var(--dim)}
        .legend{list-style:none;margin:14px 0 20px;padding:10px 14px;background:var(--soft);
        border-radius:8px;display:grid;grid-template-columns:repeat(auto-fill,minmax(225px,1fr));
        gap:3px 18px;font-size:13px}
        .legend li{display:flex;align-items:center;gap:8px}
        .legend svg{flex:none}
        .unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%)}
        main{width:max-content;min-width:100%}
        .heads,.step{display:grid;grid-template-columns:300px max-content}
        .heads{position:sticky;top:0;z-index:2;background:var(--paper);
        border-bottom:2px solid var(--line)}
        .corner{font-weight:600;padding:7px 20px}
        .step{border-bottom:1px solid var(--faint);scroll-margin-top:44px}
        .step:nth-of-type(even){background:var(--soft)}
        .step:nth-of-type(even) .box{fill:var(--soft)}
        .step.broken{background:var(--badsoft)}
        .step.broken .box{fill:var(--badsoft)}
        .step.broken .words{box-shadow:inset 5px 0 var(--bad)}
        .step>svg{grid-column:2;display:block}
        .words{position:sticky;left:0;padding:10px 12px 6px 20px;align-self:stretch}
        .words h3{font-size:15px;line-height:20px;font-weight:600;margin:0;overflow-wrap:anywhere;
        position:sticky;top:46px}
        .words h3 span{color:var(--dim);font-weight:400}
        .words a{font-size:12px;color:var(--dim)}
        svg{overflow:hidden;font-size:12px}
        svg text{fill:var(--ink)}
        .n{font-size:15px;font-weight:600}
        .t{text-anchor:end;font-size:11px}
        svg .t,svg .g,svg .d,svg .c{fill:var(--dim)}
        .h{font-weight:600;font-size:13px}
        .c{text-anchor:middle}
        .lane{stroke:var(--line);stroke-width:2;fill:none}
        .rest{stroke:var(--line);stroke-width:2;stroke-dasharray:1 7;stroke-linecap:round;fill:none}
        .gap{fill:var(--paper);stroke:var(--faint);stroke-dasharray:4 4}
        .g{font-style:italic}
        .m{color:var(--ink)}
        .wrote,.opened,.renewed{color:var(--act)}
        .merged,.holds{color:var(--take)}
        .conflict{color:var(--warn)}
        .refused,.killed,.powerCut,.parted,.fails,.violated{color:var(--bad)}
        .f,.b{fill:currentColor;stroke:var(--paper);stroke-width:1.5}
        .w{fill:var(--warnsoft);stroke:currentColor;stroke-width:2}
        .o{fill:var(--paper);stroke:currentColor;stroke-width:2}
        .l,.x{fill:none;stroke:currentColor;stroke-width:2.2;stroke-linecap:round}
        .x{stroke-width:3}
        .halo{fill:none;stroke:var(--paper);stroke-width:7;stroke-linecap:round}
        .on{fill:none;stroke:var(--paper);stroke-width:2.2;stroke-linecap:round}
        .conflict .on{stroke:currentColor}
        .band{fill:var(--soft);stroke:var(--line)}
        .violated .band{fill:var(--badsoft);stroke:var(--bad);stroke-width:2}
        svg .violated text,svg .fails text,svg .refused .h,svg .killed .h,svg .powerCut .h,
        svg .parted .h{fill:var(--bad)}
        svg .conflict .d{fill:var(--warn)}
        .ring{fill:none;stroke:none}
        .a{color:var(--line)}
        .carry,.underway{color:var(--act)}
        .lost{color:var(--bad)}
        svg .lost .c{fill:var(--bad)}
        svg .carry .c{fill:var(--ink)}
        .wire{fill:none;stroke:currentColor;stroke-width:1.8}
        .chat .wire{stroke-width:1.4}
        .lost .wire,.underway .wire{stroke-dasharray:6 4}
        .tip{fill:currentColor}
        .reach{fill:none;stroke:transparent;stroke-width:14}
        .box{fill:var(--paper)}
        [tabindex]{cursor:default}
        .m:focus,.a:focus{outline:none}
        .m:focus .ring,.m:hover .ring{stroke:var(--act);stroke-width:3}
        .m:focus .band{stroke:var(--act);stroke-width:4}
        .a:hover .wire{stroke-width:3}
        .a:focus .wire{stroke-width:4}
        .a:focus .box{stroke:var(--act);stroke-width:2.5}
        a:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:3px solid var(--act);
        outline-offset:2px}
        #detail{position:fixed;right:16px;bottom:16px;width:min(400px,calc(100vw - 32px));
        max-height:45vh;overflow:auto;background:var(--paper);color:var(--ink);padding:12px 16px;
        border:2px solid var(--line);border-radius:8px;box-shadow:0 6px 24px #0005;z-index:3;
        white-space:pre-wrap;overflow-wrap:anywhere;font-size:14px}
        #detail.left{right:auto;left:16px}
        #detail::first-line{font-weight:600}
        #moments{padding-bottom:60px}
        .scroll{overflow-x:auto}
        table{border-collapse:collapse;font-size:13px;min-width:640px;width:100%}
        th,td{text-align:start;vertical-align:top;padding:4px 10px 4px 0;overflow-wrap:anywhere;
        border-bottom:1px solid var(--faint)}
        td:nth-child(-n+3){white-space:nowrap;max-width:12em;overflow:hidden;text-overflow:ellipsis}
        tr.statement>*{background:var(--soft);padding-top:8px}
        tr.bad>*{color:var(--bad);font-weight:600}
        tr:target>*{background:var(--warnsoft)}
        @media screen and (max-width:800px){
        .heads,.step{display:block}
        .corner{display:none}
        .words{width:100vw;padding-bottom:2px}
        .words h3,.words{position:static}
        .words{position:sticky;left:0}
        h1{font-size:21px}
        }
        @media print{
        :root{color-scheme:light;--paper:#fff;--soft:#fff;--ink:#000;--dim:#000;--line:#000;
        --faint:#999;--act:#000;--take:#000;--warn:#000;--bad:#000;--badsoft:#fff;--warnsoft:#fff}
        body{font-size:10pt}
        .top,.heads,.words,.words h3,#moments,.omitted{position:static;max-width:none}
        .top,#moments{padding:0}
        main{width:100%;break-after:page}
        .heads,.step{grid-template-columns:26% 74%}
        .heads svg,.step>svg{width:100%;height:auto}
        .step,tr,.legend{break-inside:avoid}
        .step.broken{border:2px solid #000}
        .words{padding-left:0}
        .words a,#detail,.counts a{display:none}
        .legend{border:1px solid #999}
        .scroll{overflow:visible}
        thead{display:table-header-group}
        td:nth-child(-n+3){white-space:normal}
        }

        """

    /// Shows in a panel what a mark says by itself; without it, the marks' own titles do.
    static let script = """
        const panel=document.getElementById("detail");
        const show=(mark,x)=>{if(!mark){panel.hidden=true;return}
        panel.textContent=mark.getAttribute("aria-label");
        panel.classList.toggle("left",x>innerWidth/2);panel.hidden=false};
        const find=(event)=>event.target.closest?.("[aria-label][tabindex]:not(.scroll)");
        const middle=(mark)=>{const box=mark.getBoundingClientRect();return(box.left+box.right)/2};
        for(const title of document.querySelectorAll("main g>title"))title.remove();
        document.addEventListener("mouseover",(event)=>{
        const mark=find(event)??find({target:document.activeElement});
        show(mark,mark&&middle(mark))});
        document.addEventListener("focusin",(event)=>{
        const mark=find(event);show(mark,mark&&middle(mark))});
        document.addEventListener("focusout",()=>show());
        document.addEventListener("keydown",(event)=>{if(event.key==="Escape")show()});

        """
}
