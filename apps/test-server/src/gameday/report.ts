import { lengthInWords } from "@kintsugi/api";
import type { GameDay } from "./game-day.ts";
import { type Html, html } from "./html.ts";
import { causes } from "../gym/incident.ts";
import { detectMsOf, isRoundOver, mendMsOf, namedCauseOf, type GameRound, type TeamRound } from "./round.ts";

/** The cells of a report: a row for each team in each round that has ended. */
interface ReportRow {
  readonly round: number;
  readonly team: string;
  readonly incident: string;
  readonly cause: string;
  readonly detect: string;
  readonly mend: string;
  readonly named: string;
  readonly attempts: string;
  readonly falseAlarms: string;
}

const heads = [
  "round",
  "team",
  "incident",
  "cause",
  "time to detect",
  "time to mend",
  "cause named",
  "answers",
  "false alarms",
];

type Reported = Pick<GameDay, "plan" | "rounds">;

/** The report as Markdown. `startedAt` is the date of the game day. */
export function gameDayMarkdown(game: Reported, startedAt: string): string {
  const rows = rowsOf(game).map(cellsOf);
  const line = (cells: readonly string[]) => `| ${cells.map(plain).join(" | ")} |`;
  return [
    `# ${plain(game.plan.title)}`,
    "",
    factsOf(game, startedAt),
    "",
    ...(rows.length === 0
      ? ["No round is over yet."]
      : [line(heads), `|${heads.map(() => "---|").join("")}`, ...rows.map(line), "", ...summaryOf(game).map(plain)]),
    "",
    "## What happened",
    "",
    ...game.rounds
      .filter(isRoundOver)
      .flatMap((round) => storyOf(game, round).map((sentence) => `- ${plain(sentence)}`)),
    "",
    explanation,
    "",
  ].join("\n");
}

/** Escapes the Markdown of a typed text. */
function plain(text: string): string {
  return text.replaceAll(/[\\`*_<>[\]|]/g, "\\$&");
}

/** The report as a page without scripts. */
export function gameDayHtml(game: Reported, startedAt: string): string {
  const rows = rowsOf(game).map(cellsOf);
  const cells = (row: readonly string[]): Html[] => row.map((cell) => html`<td>${cell}</td>`);
  const table = html`<table>
    <thead>
      <tr>
        ${heads.map((head) => html`<th scope="col">${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${cells(row)}
          </tr> `,
      )}
    </tbody>
  </table>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${game.plan.title}</title>
        <style>
          :root {
            color-scheme: light dark;
            font:
              16px/1.5 system-ui,
              sans-serif;
          }
          body {
            max-width: 75rem;
            margin: 2rem auto;
            padding: 0 1rem;
          }
          div {
            overflow-x: auto;
          }
          table {
            border-collapse: collapse;
          }
          th,
          td {
            text-align: left;
            vertical-align: top;
            padding: 0.3rem 0.8rem 0.3rem 0;
            border-bottom: 1px solid #8886;
          }
        </style>
      </head>
      <body>
        <main>
          <h1>${game.plan.title}</h1>
          <p>${factsOf(game, startedAt)}</p>
          ${rows.length === 0 ? html`<p>No round is over yet.</p>` : html`<div tabindex="0" role="region" aria-label="Rounds">${table}</div>`}
          ${summaryOf(game).map((sentence) => html`<p>${sentence}</p>`)}
          <h2>What happened</h2>
          <ul>
            ${game.rounds.filter(isRoundOver).flatMap((round) => storyOf(game, round).map((sentence) => html`<li>${sentence}</li> `))}
          </ul>
          <p>${explanation}</p>
        </main>
      </body>
    </html> `.text;
}

const explanation =
  "The time to detect runs from the first harm to the team's report. The time to mend runs from the first harm until the harm ends for good. The cluster is checked every 2 s.";

function factsOf({ plan, rounds }: Reported, startedAt: string): string {
  const over = rounds.filter(isRoundOver).length;
  return `${startedAt}, ${over} of ${rounds.length} rounds are over, seed ${plan.seed}.`;
}

function rowsOf({ rounds }: Reported): ReportRow[] {
  return rounds.flatMap((round, index) =>
    isRoundOver(round) ? round.teams.map((state) => rowOf(round, { state, index })) : [],
  );
}

function rowOf({ incident }: GameRound, { state, index }: { state: TeamRound; index: number }): ReportRow {
  const named = namedCauseOf(state);
  const detectMs = detectMsOf(state);
  const mendMs = mendMsOf(state);
  return {
    round: index + 1,
    team: state.team,
    incident: incident.name,
    cause: causes[incident.cause],
    detect: detectMs === undefined ? "not reported" : lengthInWords(detectMs),
    mend: mendMs === undefined ? notMended[state.ended ?? "facilitator"] : lengthInWords(mendMs),
    named: named === undefined ? "none" : `${named}, ${named === incident.cause ? "right" : "wrong"}`,
    attempts: String(state.attempts.length),
    falseAlarms: String(state.falseAlarms.length),
  };
}

const notMended = {
  mended: "",
  limit: "not within the limit",
  facilitator: "ended by the facilitator",
  failure: "the round failed",
} as const;

function cellsOf(row: ReportRow): string[] {
  const { round, team, incident, cause, detect, mend, named, attempts, falseAlarms } = row;
  return [String(round), team, incident, cause, detect, mend, named, attempts, falseAlarms];
}

/** A sentence for each team. */
function summaryOf({ plan, rounds }: Reported): string[] {
  return plan.teams.map((team) => {
    const states = rounds.filter(isRoundOver).flatMap(({ teams }) => teams.filter((each) => each.team === team));
    const detected = states.flatMap((state) => detectMsOf(state) ?? []);
    const mended = states.flatMap((state) => mendMsOf(state) ?? []);
    const reported = `${detected.length} of ${states.length} incidents were reported${meanText(detected)}`;
    return `${team}: ${reported}; ${mended.length} were mended${meanText(mended)}.`;
  });
}

function meanText(spansMs: readonly number[]): string {
  if (spansMs.length === 0) return "";
  return ` (on average after ${lengthInWords(spansMs.reduce((sum, each) => sum + each, 0) / spansMs.length)})`;
}

function storyOf({ rounds }: Reported, round: GameRound): string[] {
  const number = rounds.indexOf(round) + 1;
  const { failure, hintAtMs } = round;
  if (failure !== undefined) return [`Round ${number} was aborted: ${failure}.`];
  return round.teams.flatMap((state) => {
    const { brokenAtMs = 0, team, noticed, attempts } = state;
    const after = (atMs: number) => lengthInWords(Math.max(0, atMs - brokenAtMs));
    const at = `Round ${number}, ${team}:`;
    return [
      ...(noticed === undefined ? [] : [`${at} “${noticed.text}” after ${after(noticed.atMs)}.`]),
      ...(hintAtMs === undefined ? [] : [`${at} the facilitator showed the symptom after ${after(hintAtMs)}.`]),
      ...attempts.map(({ atMs, verdict }) => `${at} an answer after ${after(atMs)}: ${verdictText(verdict)}.`),
    ];
  });
}

function verdictText({ harm, cheats }: TeamRound["attempts"][number]["verdict"]): string {
  if (harm !== undefined) return `the harm continued, ${harm}`;
  return cheats.length > 0 ? `not accepted, because ${cheats.join(", and ")}` : "the harm had ended";
}
