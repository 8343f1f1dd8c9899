import { causes } from "../gym/incident.ts";
import { type Html, html } from "./html.ts";

// The constant parts of the pages. Forms keep the typed text while the live part is replaced.

export const pageScript = `
const live = document.getElementById("live");
const answer = document.getElementById("answer");
const away = document.getElementById("away");
let shown = "";
async function look() {
  try {
    const response = await fetch("live");
    if (!response.ok) throw new Error(String(response.status));
    const { html, open } = await response.json();
    if (html !== shown && !live.contains(document.activeElement)) live.innerHTML = shown = html;
    for (const form of document.forms) form.hidden = !open.includes(form.id);
    away.hidden = true;
  } catch {
    away.hidden = false;
  }
}
document.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const button = form.querySelector("button");
  button.disabled = true;
  answer.textContent = form.dataset.wait ?? "";
  try {
    const body = JSON.stringify(Object.fromEntries(new FormData(form)));
    const response = await fetch(form.id, { method: "POST", headers: { "content-type": "application/json" }, body });
    answer.textContent = await response.text();
    if (response.ok) form.reset();
  } catch {
    answer.textContent = "The game day does not answer.";
  }
  button.disabled = false;
  await look();
  // A hidden form loses the focus of the keyboard.
  if (form.hidden) answer.focus();
});
setInterval(look, 1000);
void look();
`;

export const pageStyle = `
:root { color-scheme: light dark; --ink: #1c1b19; --paper: #fbfaf7; --line: #b9b4a8; --gold: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #ece8df; --paper: #191816; --line: #5a554b; --gold: #e3b04b; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 0.25rem; }
h2 { font-size: 1.15rem; border-bottom: 2px solid var(--gold); padding-bottom: 0.2rem; }
pre { overflow-x: auto; padding: 0.6rem; border: 1px solid var(--line); border-radius: 4px; }
.state { font-size: 1.15rem; }
.wide { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.9rem 0.3rem 0; border-bottom: 1px solid var(--line); }
dt { font-weight: 600; }
code { overflow-wrap: anywhere; }
dd { margin: 0 0 0.6rem; }
form { display: inline-block; margin: 0.5rem 1rem 0.5rem 0; max-width: 100%; }
form[hidden] { display: none; }
label { display: block; font-weight: 600; }
input, select, button { font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 4px; padding: 0.45rem 0.7rem; max-width: 100%; min-height: 2.75rem; }
select option { color: var(--ink); background: var(--paper); }
input { width: 34rem; }
button { border-color: var(--gold); color: var(--gold); font-weight: 600; cursor: pointer; }
button:disabled { opacity: 0.7; }
a { color: var(--gold); }
:focus-visible { outline: 3px solid var(--gold); outline-offset: 2px; }
th + td { min-width: 11rem; }
#answer { min-height: 1.5rem; font-weight: 600; }
#answer:focus { outline: none; }
`;

function shell(title: string, { heading, body }: { heading: Html; body: Html }): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <link rel="stylesheet" href="style.css" />
        <link rel="icon" href="data:," />
      </head>
      <body>
        <main>
          <h1>${heading}</h1>
          <p id="away" role="alert" hidden>The game day does not answer. It may have ended.</p>
          <div id="live"></div>
          <p id="answer" role="status" tabindex="-1"></p>
          ${body}
        </main>
        <script src="script.js"></script>
      </body>
    </html> `.text;
}

/** The longest text of a report. */
export const noticeLettersMax = 500;

export function teamShell(title: string, team: string): string {
  const options = Object.entries(causes).map(
    ([name, sentence]) => html`<option value="${name}">${name}: ${sentence}</option> `,
  );
  return shell(`${team}, ${title}`, {
    heading: html`${title}: ${team}`,
    body: html` <form id="notice" hidden>
        <label for="text">We noticed:</label>
        <input id="text" name="text" required maxlength="${noticeLettersMax}" autocomplete="off" />
        <button>Report it</button>
      </form>
      <form id="mend" data-wait="The cluster is checked now, and again after two minutes of cluster time." hidden>
        <label for="cause">The cause, as you see it:</label>
        <select id="cause" name="cause">
          <option value="">we do not know</option>
          ${options}
        </select>
        <button>It is mended</button>
      </form>`,
  });
}

export function facilitatorShell(title: string, pages: readonly { team: string; url: string }[]): string {
  return shell(`${title}, facilitator`, {
    heading: html`${title}: facilitator`,
    body: html` <form id="start" hidden><button>Begin the round</button></form>
      <form id="hint" hidden><button>Tell the teams the symptom</button></form>
      <form id="end-round" hidden><button>End the round</button></form>
      <h2>Pages of the teams</h2>
      <p>Give each team its own address. Keep this page from the teams.</p>
      <dl>
        ${pages.map(
          ({ team, url }) =>
            html`<dt>${team}</dt>
              <dd><code>${url}</code></dd>`,
        )}
      </dl>
      <h2>Report</h2>
      <p><a href="report.html">The report as a page</a> · <a href="report.md">as Markdown</a></p>`,
  });
}
