import type { Incident, IncidentCause } from "../gym/incident.ts";
import type { IncidentVerdict } from "../gym/incident-run.ts";

// A round for one team, by the clock of the people:
//
//   starting → quiet → breaking → broken ───────────────────────────────► over
//                                    │ notice: "we noticed: …"    the check has passed,
//                                    │ mend: the check judges     the limit, the facilitator
//
// Both times begin when the harm is first visible. The time to detect ends with the first report.
// The time to mend ends when the harm ends for good.

type RoundPhase = "waiting" | "starting" | "quiet" | "breaking" | "broken" | "over";

interface Notice {
  readonly atMs: number;
  readonly text: string;
}

interface Attempt {
  readonly atMs: number;
  readonly cause: IncidentCause | undefined;
  readonly verdict: IncidentVerdict;
}

/** The state of one team in one round; times are from a monotonic clock. */
export interface TeamRound {
  readonly team: string;
  phase: RoundPhase;
  /** Command that lists the pods of the team. */
  kubectl: string | undefined;
  brokenAtMs: number | undefined;
  noticed: Notice | undefined;
  readonly falseAlarms: Notice[];
  readonly attempts: Attempt[];
  isJudging: boolean;
  /** The harm at the last check. */
  harm: string | undefined;
  /** Time of the first check without harm. */
  harmGoneAtMs: number | undefined;
  mendedAtMs: number | undefined;
  ended: "mended" | "limit" | "facilitator" | "failure" | undefined;
}

/** A round of all teams. */
export interface GameRound {
  readonly incident: Incident;
  readonly seed: number;
  readonly teams: readonly TeamRound[];
  /** Time at which the facilitator showed the symptom. */
  hintAtMs: number | undefined;
  /** Error message of a failed round. */
  failure: string | undefined;
}

/** A person does not send more reports in a round. */
export const noticesMax = 20;
export const attemptsMax = 100;

export function newRound(
  { incident, seed }: Pick<GameRound, "incident" | "seed">,
  teams: readonly string[],
): GameRound {
  return { incident, seed, teams: teams.map(newTeamRound), hintAtMs: undefined, failure: undefined };
}

function newTeamRound(team: string): TeamRound {
  return {
    team,
    phase: "waiting",
    kubectl: undefined,
    brokenAtMs: undefined,
    noticed: undefined,
    falseAlarms: [],
    attempts: [],
    isJudging: false,
    harm: undefined,
    harmGoneAtMs: undefined,
    mendedAtMs: undefined,
    ended: undefined,
  };
}

export function isRoundOver(round: GameRound): boolean {
  return round.teams.every(({ phase }) => phase === "over");
}

/** Returns undefined before the report of the team. */
export function detectMsOf({ brokenAtMs, noticed }: TeamRound): number | undefined {
  if (brokenAtMs === undefined || noticed === undefined) return undefined;
  // A team can notice the fault before the harm.
  return Math.max(0, noticed.atMs - brokenAtMs);
}

/** Returns undefined before the end of the harm. */
export function mendMsOf({ brokenAtMs, mendedAtMs }: TeamRound): number | undefined {
  return brokenAtMs === undefined || mendedAtMs === undefined ? undefined : Math.max(0, mendedAtMs - brokenAtMs);
}

/** Returns the last cause that the team chose. */
export function namedCauseOf({ attempts }: TeamRound): IncidentCause | undefined {
  return attempts.findLast(({ cause }) => cause !== undefined)?.cause;
}

/** Records the result of a check. */
export function noteLook(state: TeamRound, harm: string | undefined, nowMs: number): void {
  state.harm = harm;
  if (harm !== undefined) state.harmGoneAtMs = undefined;
  else state.harmGoneAtMs ??= nowMs;
}
