const light = `--ink: #1c2330; --dim: #5b6675; --paper: #fff; --line: #d9dee5; --good: #2f9e62; --good-text: #1f7a49; --seen: #9bb0c9; --bad: #d64545; --bad-text: #b83232; --fault: #e8a33d; --mark: #f3f5f8;`;
const dark = `--ink: #e4e8ee; --dim: #97a3b3; --paper: #14181f; --line: #2e3641; --good: #46c07f; --good-text: #46c07f; --seen: #4a5d76; --bad: #ef6b6b; --bad-text: #ef6b6b; --fault: #f0b75a; --mark: #1c222b;`;

const box = `max-width: 76rem; margin: 0 auto; padding: 1.5rem; font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper);`;

const rules = `
h1 { font-size: 1.4rem; margin: 0 0 .2rem; white-space: normal; } h2 { font-size: 1.05rem; margin: 1.8rem 0 .5rem; }
p { margin: .3rem 0; } .dim { color: var(--dim); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .88rem; }
th, td { text-align: left; padding: .22rem .7rem .22rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--dim); font-weight: 600; } td.number, th.number { text-align: right; white-space: nowrap; }
tr.fault td { background: var(--mark); font-weight: 600; } .scroll { overflow-x: auto; }
.bad { color: var(--bad-text); font-weight: 600; } .good { color: var(--good-text); }
svg { width: 100%; height: auto; display: block; } .chart { min-width: 40rem; } svg text { font: 11px system-ui, sans-serif; fill: var(--dim); }
.window + text { fill: var(--ink); }
.wanted { stroke: var(--dim); stroke-dasharray: 3 3; fill: none; } .available { fill: var(--good); fill-opacity: .55; }
.ready { fill: var(--seen); fill-opacity: .5; } .missing { fill: var(--bad); fill-opacity: .18; } .window { fill: var(--fault); fill-opacity: .3; }
.axis { stroke: var(--line); }
details summary { cursor: pointer; color: var(--dim); }
`;

/** The style of a report, which works without a network, in light and dark mode, and in print. */
export const style = `
:root { color-scheme: light dark; ${light} }
@media (prefers-color-scheme: dark) { :root { ${dark} } }
* { box-sizing: border-box; }
body { ${box} }
${rules}`;

/** Returns the style for a part of another page, as a card as wide as the player above it. */
export function styleWithin(selector: string): string {
  const place =
    "max-width: calc(1800px - 2rem); margin: 0 max(1rem, calc(50% - 900px + 1rem)) 1rem; border: 1px solid var(--line); border-radius: 10px;";
  return `${selector} { ${light} ${box} ${place} ${rules} }
@media (prefers-color-scheme: dark) { ${selector} { ${dark} } }`;
}
