import { lengthInWords } from "@kintsugi/api";
import { causes } from "../gym/incident.ts";
import type { GameDay } from "./game-day.ts";
import { type Html, html } from "./html.ts";
import { detectMsOf, isRoundOver, mendMsOf, type GameRound, type TeamRound } from "./round.ts";

/** The changing part of a page, and the visible forms. */
export interface Live {
  readonly html: string;
  readonly open: readonly string[];
}

/** Data of a team's page. It does not contain the incident before the end of the round. */
export interface TeamSight {
  readonly title: string;
  readonly team: string;
  readonly number: number;
  readonly count: number;
  readonly phase: "waiting" | "starting" | "watching" | "mending" | "over";
  readonly kubectl: string | undefined;
  readonly noticed: string | undefined;
  readonly sinceNoticedMs: number | undefined;
  readonly isJudging: boolean;
  readonly symptom: string | undefined;
  readonly result: string | undefined;
  readonly truth: string | undefined;
}

/** Returns the data of a team's page. The page does not contain other data. */
export function sightOf(game: GameDay, team: string): TeamSight {
  const { round, plan, number, rounds, nowMs } = game;
  const state = round?.teams.find((each) => each.team === team);
  const seen = { title: plan.title, team, number, count: rounds.length, kubectl: state?.kubectl };
  const none = { noticed: undefined, sinceNoticedMs: undefined, isJudging: false, symptom: undefined };
  if (round === undefined || state === undefined)
    return { ...seen, ...none, phase: "waiting", result: undefined, truth: undefined };
  return {
    ...seen,
    phase: teamPhaseOf(state),
    noticed: state.noticed?.text,
    sinceNoticedMs: state.noticed === undefined ? undefined : nowMs - state.noticed.atMs,
    isJudging: state.isJudging,
    symptom: round.hintAtMs === undefined ? undefined : round.incident.symptom,
    result: state.phase === "over" ? resultOf(state) : undefined,
    truth: isRoundOver(round) ? truthOf(round) : undefined,
  };
}

/** The page does not show the fault before the team's report. */
function teamPhaseOf({ phase, noticed }: TeamRound): TeamSight["phase"] {
  switch (phase) {
    case "waiting":
    case "starting":
    case "over":
      return phase;
    case "quiet":
    case "breaking":
    case "broken":
      return noticed === undefined ? "watching" : "mending";
  }
}

function truthOf({ incident, failure }: GameRound): string {
  if (failure !== undefined) return `The round was aborted: ${failure}`;
  return `The incident was ${incident.name}: ${causes[incident.cause]}`;
}

function resultOf(state: TeamRound): string {
  const mendMs = mendMsOf(state);
  const detectMs = detectMsOf(state);
  const detected =
    detectMs === undefined ? "You did not report it." : `You reported it after ${lengthInWords(detectMs)}.`;
  if (mendMs !== undefined) return `${detected} The harm had ended after ${lengthInWords(mendMs)}.`;
  return state.ended === "limit" ? `${detected} The time to mend it has expired.` : `${detected} The round was ended.`;
}

const teamSentences: Readonly<Record<TeamSight["phase"], string>> = {
  waiting: "The facilitator begins the first round.",
  starting: "Your cluster is starting. This takes about ten seconds.",
  watching: "Your cluster runs. Something will fail at some moment: watch the cluster, and report what you notice.",
  mending: "Mend the fault as in a production cluster: do not remove or shrink anything that its users need.",
  over: "The round is over. The cluster remains until the next round begins.",
};

export function teamLive(sight: TeamSight): Live {
  const { number, count, phase, kubectl, noticed, sinceNoticedMs, symptom, result, truth } = sight;
  const line = (label: string, text: string | undefined) =>
    text === undefined ? undefined : html`<p><strong>${label}</strong> ${text}</p>`;
  const shown = html` <h2>${number === 0 ? "Before the first round" : html`Round ${number} of ${count}`}</h2>
    <p class="state">${teamSentences[phase]}</p>
    ${
      kubectl === undefined
        ? undefined
        : html`<p>Your cluster:</p>
            <pre tabindex="0">${kubectl}</pre>`
    }
    ${line("You reported:", noticed)}
    ${sinceNoticedMs === undefined || phase !== "mending" ? undefined : line("Since your report:", lengthInWords(sinceNoticedMs))}
    ${phase === "over" ? undefined : line("A user says:", symptom)} ${line("Result:", result)} ${line("Truth:", truth)}`;
  const open = phase === "watching" ? ["notice"] : phase === "mending" && !sight.isJudging ? ["mend"] : [];
  return { html: shown.text, open };
}

const phaseWords: Readonly<Record<TeamRound["phase"], string>> = {
  waiting: "waits",
  starting: "its cluster starts",
  quiet: "the cluster is healthy; the fault will begin at a random moment",
  breaking: "the fault is happening",
  broken: "the harm is visible",
  over: "over",
};

export function facilitatorLive(game: GameDay): Live {
  const { round, rounds, number, nowMs, isLast } = game;
  const next = rounds[number];
  const isUnderWay = round !== undefined && !isRoundOver(round);
  const shown = html` <h2>${number === 0 ? "Before the first round" : html`Round ${number} of ${rounds.length}`}</h2>
    ${round === undefined ? undefined : hiddenFault(round)}
    ${round?.failure === undefined ? undefined : html`<p class="state">The round was aborted: ${round.failure}</p>`}
    ${round === undefined ? undefined : teamTable(round, nowMs)}
    ${
      isUnderWay || next === undefined
        ? undefined
        : html`<h2>Next round</h2>
            ${hiddenFault(next)}`
    }
    ${!isUnderWay && isLast ? html`<p class="state">This was the last round. Ctrl-C ends the game day and prints the report.</p>` : undefined}`;
  const isBroken = round?.teams.some(({ phase }) => phase === "broken") === true;
  const open = [
    ...(!isUnderWay && !isLast ? ["start"] : []),
    ...(isBroken && round.hintAtMs === undefined ? ["hint"] : []),
    ...(isUnderWay ? ["end-round"] : []),
  ];
  return { html: shown.text, open };
}

function hiddenFault({ incident, seed, hintAtMs }: GameRound): Html {
  return html`<dl>
    <dt>Hidden fault</dt>
    <dd>${incident.name}: ${causes[incident.cause]} (${incident.cause}, seed ${seed})</dd>
    <dt>Symptom</dt>
    <dd>${incident.symptom}${hintAtMs === undefined ? "" : " The teams have seen it."}</dd>
  </dl>`;
}

function teamTable({ teams }: GameRound, nowMs: number): Html {
  const rows = teams.map((state) => {
    const { team, phase, harm, brokenAtMs, noticed, attempts, falseAlarms } = state;
    const sinceMs = brokenAtMs === undefined || phase === "over" ? undefined : nowMs - brokenAtMs;
    const detectMs = detectMsOf(state);
    const mendMs = mendMsOf(state);
    const cells = [
      phase === "broken" ? (harm ?? "no harm at the last check") : phaseWords[phase],
      sinceMs === undefined ? "" : lengthInWords(sinceMs),
      noticed === undefined || detectMs === undefined ? "" : `${lengthInWords(detectMs)}: ${noticed.text}`,
      mendMs === undefined ? (state.ended ?? "") : lengthInWords(mendMs),
      String(attempts.length),
      String(falseAlarms.length),
    ];
    return html`<tr>
      <th scope="row">${team}</th>
      ${cells.map((cell) => html`<td>${cell}</td>`)}
    </tr> `;
  });
  const heads = ["Team", "State", "Harm for", "Noticed after", "Mended after", "Answers", "False alarms"];
  return html`<div class="wide" tabindex="0" role="region" aria-label="Teams">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}
