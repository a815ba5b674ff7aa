/** Okabe and Ito's colours, which colour-blind readers can distinguish; darker ones on white. */
const COLOURS_ON_WHITE = ['#0072b2', '#d55e00', '#009e73', '#b0578d', '#8a6d00', '#3c3c3c'];
const COLOURS_ON_BLACK = ['#56b4e9', '#e69f00', '#2bd4a4', '#e59ac5', '#f0e442', '#d0d0d0'];

const colours = (values: readonly string[]): string => values.map((value, n) => `--c${n}:${value};`).join('');

const PALETTE_LIGHT = `--ink:#1c2024;--soft:#5d666f;--paper:#fff;--band:#f4f6f8;--rule:#d8dde2;--good:#0a6b3d;--missed:#a14a00;--bad:#b00020;--accent:#0060a0;${colours(COLOURS_ON_WHITE)}`;
const PALETTE_DARK = `--ink:#e6e9ec;--soft:#a0a9b2;--paper:#14171a;--band:#1c2126;--rule:#353c43;--good:#5fd39a;--missed:#ffb26b;--bad:#ff8a9a;--accent:#7cc4ff;${colours(COLOURS_ON_BLACK)}`;

export const STYLE = `
:root{color-scheme:light dark;${PALETTE_LIGHT}}
@media (prefers-color-scheme:dark){:root{${PALETTE_DARK}}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1.25rem 1rem 4rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.7rem;margin:0 0 .75rem}
h2{font-size:1.25rem;margin:0 0 .25rem}
h3{font-size:1rem;margin:0}
a{color:var(--accent)}
code{font:.9em ui-monospace,monospace;background:var(--band);padding:.05em .3em;border-radius:3px}
small{color:var(--soft);font-size:.85em}
ul,ol{padding-left:1.25rem}
.cards{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none;padding:0;margin:0 0 1rem}
.cards li{flex:1 1 8rem;background:var(--band);border-left:4px solid var(--rule);border-radius:4px;padding:.5rem .75rem;color:var(--soft);font-size:.9rem}
.cards strong{display:block;font-size:1.35rem;color:var(--ink);font-variant-numeric:tabular-nums}
.cards .good{border-color:var(--good)}.cards .missed{border-color:var(--missed)}.cards .bad{border-color:var(--bad)}
.facts{margin:0 0 1rem;font-size:.9rem}
.facts div{display:flex;flex-wrap:wrap;gap:0 .75rem}
.facts dt{color:var(--soft);flex:0 0 5.5rem}.facts dd{margin:0;flex:1 1 16rem;overflow-wrap:anywhere}
nav ol{columns:22rem;column-gap:2.5rem;font-size:.95rem;margin:0 0 1rem}nav li{break-inside:avoid}
section{border-top:1px solid var(--rule);padding-top:1.25rem;margin-top:1.75rem}
.method{color:var(--soft);font-size:.92rem;max-width:60rem;margin:.25rem 0 1rem}
.good{color:var(--good)}.missed{color:var(--missed)}.bad{color:var(--bad)}
.cards .good,.cards .missed,.cards .bad{color:var(--soft)}
.alert{border-left:4px solid var(--bad);background:var(--band);border-top:0;border-radius:4px;padding:.75rem 1rem;margin:1rem 0}
.alert ul,details ul{margin:.4rem 0 0;font-size:.9rem;overflow-wrap:anywhere}
details{margin:0 0 1rem}summary{cursor:pointer}
figure{margin:0 0 1.25rem}
figcaption{font-weight:600}
.legend{display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;list-style:none;padding:0;margin:.2rem 0 .4rem;font-size:.9rem}
.legend svg{vertical-align:-1px;overflow:visible}
.scroll{overflow-x:auto}
.chart{display:block;width:100%;min-width:34rem;max-width:60rem;height:auto;font:12px system-ui,sans-serif}
.chart text{fill:var(--soft)}
.chart .category{text-anchor:end;fill:var(--ink)}
.chart .middle{text-anchor:middle}.chart .end{text-anchor:end}
.grid{stroke:var(--rule);stroke-width:1}
.reference{stroke:var(--soft);stroke-width:1.5;stroke-dasharray:4 3}
.stripe{fill:var(--band)}
.fill{stroke:none}
.line{fill:none;stroke-width:2}
.spread{stroke-width:1.5;opacity:.55}
${COLOURS_ON_WHITE.map((_, n) => `.fill.c${n}{fill:var(--c${n})}.line.c${n},.spread.c${n}{stroke:var(--c${n})}`).join('')}
.point:hover{filter:brightness(1.25)}
table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums;white-space:nowrap}
th,td{padding:.3rem .7rem;text-align:right;border-bottom:1px solid var(--rule)}
thead th{color:var(--soft);font-weight:600;vertical-align:bottom}
tbody th{text-align:left;font-weight:500;position:sticky;left:0;background:var(--paper)}
tbody tr:hover td,tbody tr:hover th{background:var(--band)}
footer{margin-top:2rem;color:var(--soft);font-size:.85rem}
#tip{position:fixed;z-index:2;background:var(--ink);color:var(--paper);padding:.25rem .55rem;border-radius:4px;font-size:.85rem;pointer-events:none;max-width:90vw}
@media (max-width:40rem){tbody th{max-width:40vw;white-space:normal}}
@media print{nav,#tip{display:none}section{break-inside:avoid-page}}
`;

/**
 * Shows the titles of points immediately, also on touch screens. Without it, the browser shows them with a
 * delay.
 */
export const SCRIPT = `
const tip=document.getElementById('tip');
for(const point of document.querySelectorAll('.point')){
const title=point.querySelector('title');
point.dataset.tip=title.textContent;
title.remove();
}
document.addEventListener('pointerover',show);
document.addEventListener('pointerdown',show);
function show(event){
const point=event.target.closest&&event.target.closest('.point');
tip.hidden=!point;
if(!point)return;
tip.textContent=point.dataset.tip;
const box=tip.getBoundingClientRect();
tip.style.left=Math.max(4,Math.min(event.clientX+12,innerWidth-box.width-4))+'px';
tip.style.top=Math.max(4,event.clientY-box.height-10)+'px';
}
`;
