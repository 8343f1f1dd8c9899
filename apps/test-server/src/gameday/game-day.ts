import type { Clock } from "@kintsugi/clock";
import type { Incident, IncidentCause } from "../gym/incident.ts";
import type { IncidentVerdict } from "../gym/incident-run.ts";
import type { GameDayPlan } from "./gameday-file.ts";
import { attemptsMax, isRoundOver, noteLook, newRound, noticesMax, type GameRound, type TeamRound } from "./round.ts";

/** The incident in a team's cluster. */
interface PreparedFault {
  /** Injects the fault, and resolves at the start of the harm. */
  strike(): Promise<void>;
  harm(): Promise<string | undefined>;
  check(cause: IncidentCause | undefined): Promise<IncidentVerdict>;
}

/** The cluster of a team in a round. */
export interface TeamCluster extends AsyncDisposable {
  /** A command that shows the team's workloads. */
  readonly kubectl: string;
  /** Resolves after a healthy period of the cluster. */
  prepare(): Promise<PreparedFault>;
}

export interface GameDayDeps {
  clock: Clock;
  /** A number in [0, 1) for a round, the same for all teams. */
  draw: (round: number) => number;
  startCluster: (of: { team: string; incident: Incident; seed: number }) => Promise<TeamCluster>;
  /** Called when a round has ended. */
  onRoundOver: () => void;
}

/** Reading the state lists a few objects of each team's cluster. */
const lookMs = 2_000;

/** A request of a page at the wrong moment. The message is a sentence for the page. */
export class NotNow extends Error {
  override readonly name = "NotNow";
}

interface Played {
  readonly cluster: TeamCluster;
  readonly trouble: PreparedFault;
  readonly state: TeamRound;
}

/** A game day with its rounds. Each team has a new cluster in each round. */
export class GameDay {
  readonly plan: GameDayPlan;
  readonly rounds: readonly GameRound[];
  readonly #deps: GameDayDeps;
  #current = -1;
  #clusters: TeamCluster[] = [];
  #played: readonly Played[] = [];
  #stop = new AbortController();
  #done: Promise<void> = Promise.resolve();

  constructor(deps: GameDayDeps, plan: GameDayPlan) {
    this.#deps = deps;
    this.plan = plan;
    this.rounds = plan.incidents.map((incident, index) =>
      newRound({ incident, seed: (plan.seed + index) >>> 0 }, plan.teams),
    );
  }

  /** The number of the round that was begun last, from 1; 0 before the first round. */
  get number(): number {
    return this.#current + 1;
  }

  get round(): GameRound | undefined {
    return this.rounds[this.#current];
  }

  get isLast(): boolean {
    return this.number === this.rounds.length;
  }

  get nowMs(): number {
    return this.#deps.clock.monotonicMs();
  }

  /** Begins the next round. @throws NotNow */
  start(): void {
    if (this.round !== undefined && !isRoundOver(this.round)) throw new NotNow("the previous round is not over");
    if (this.isLast) throw new NotNow("there are no further rounds");
    const before = this.#done;
    const stop = new AbortController();
    this.#stop = stop;
    this.#current++;
    const round = this.round as GameRound;
    for (const state of round.teams) state.phase = "starting";
    this.#done = before.then(() => this.#play(round, stop.signal));
  }

  /** Records the report of a team. @returns the answer for the team @throws NotNow */
  notice(team: string, text: string): string {
    const state = this.#stateOf(team);
    if (state.phase === "waiting" || state.phase === "starting") throw new NotNow("the cluster is not ready yet");
    if (state.phase === "over") throw new NotNow("the round is over");
    if (state.noticed !== undefined) throw new NotNow("you have already reported the fault: mend it now");
    const notice = { atMs: this.nowMs, text };
    if (state.phase === "quiet") {
      if (state.falseAlarms.length >= noticesMax) throw new NotNow("you have sent too many reports in this round");
      state.falseAlarms.push(notice);
      return "The check has found no harm yet. The report counts as a false alarm.";
    }
    state.noticed = notice;
    return "Your report is recorded. Now mend the fault.";
  }

  /** Checks the cluster of a team. @returns the answer for the team @throws NotNow */
  async mend(team: string, cause: IncidentCause | undefined): Promise<string> {
    const state = this.#stateOf(team);
    const played = this.#played.find((each) => each.state === state);
    if (state.phase !== "broken" || state.noticed === undefined || played === undefined)
      throw new NotNow("report first what you noticed");
    if (state.isJudging) throw new NotNow("your last answer is still being checked");
    if (state.attempts.length >= attemptsMax) throw new NotNow("you have tried too many times in this round");
    const atMs = this.nowMs;
    state.isJudging = true;
    try {
      const verdict = await played.trouble.check(cause);
      state.attempts.push({ atMs, cause, verdict });
      if (!verdict.isOver) return `The harm continues: ${verdict.harm}.`;
      if (verdict.cheats.length > 0)
        return verdict.cheats.map((cheat) => `This answer is not accepted: ${cheat}.`).join(" ");
      // The facilitator may have ended the round in the meantime.
      if (isEnded(state)) return "The round is over.";
      state.mendedAtMs = Math.min(state.harmGoneAtMs ?? atMs, atMs);
      this.#end(state, "mended");
      return "The harm has ended and has not returned.";
    } finally {
      state.isJudging = false;
    }
  }

  /** Shows the symptom to the teams. @throws NotNow */
  hint(): void {
    const { round } = this;
    if (round === undefined || isRoundOver(round) || round.teams.every(({ phase }) => phase !== "broken"))
      throw new NotNow("the fault has done no harm yet");
    round.hintAtMs ??= this.nowMs;
  }

  /** Ends the round. @throws NotNow */
  endRound(): void {
    if (this.round === undefined || isRoundOver(this.round)) throw new NotNow("no round is in progress");
    for (const state of this.round.teams) this.#end(state, "facilitator");
  }

  /** Ends the round and the clusters. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
    await this.#endClusters();
  }

  #stateOf(team: string): TeamRound {
    const state = this.round?.teams.find((each) => each.team === team);
    if (state === undefined) throw new NotNow("the first round has not begun yet");
    return state;
  }

  async #play(round: GameRound, signal: AbortSignal): Promise<void> {
    const { clock, startCluster, draw } = this.#deps;
    const index = this.rounds.indexOf(round);
    try {
      await this.#endClusters();
      if (signal.aborted) return;
      const played: Played[] = [];
      for (const state of round.teams) {
        const cluster = await startCluster({ team: state.team, incident: round.incident, seed: round.seed });
        this.#clusters.push(cluster);
        played.push({ cluster, trouble: await cluster.prepare(), state });
        if (signal.aborted) return;
      }
      this.#played = played;
      for (const { state, cluster } of played) {
        state.kubectl = cluster.kubectl;
        state.phase = "quiet";
      }
      await clock.sleep(draw(index) * this.plan.quietMs, signal);
      await Promise.all(played.map((each) => this.#break(each)));
      await Promise.all(played.map((each) => this.#watch(each, signal)));
    } catch (error) {
      if (signal.aborted) return;
      round.failure = (error as Error).message;
      for (const state of round.teams) this.#end(state, "failure");
    }
  }

  async #break({ state, trouble }: Played): Promise<void> {
    if (isEnded(state)) return;
    state.phase = "breaking";
    await trouble.strike();
    if (isEnded(state)) return;
    state.phase = "broken";
    state.brokenAtMs = this.nowMs;
  }

  /** Inspects the cluster until the team's round has ended. */
  async #watch({ state, trouble }: Played, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    while (!isEnded(state)) {
      const harm = await trouble.harm();
      const nowMs = this.nowMs;
      noteLook(state, harm, nowMs);
      if (!state.isJudging && nowMs - (state.brokenAtMs ?? nowMs) >= this.plan.mendMs) this.#end(state, "limit");
      await clock.sleep(lookMs, signal);
    }
  }

  #end(state: TeamRound, ended: NonNullable<TeamRound["ended"]>): void {
    if (isEnded(state)) return;
    state.ended = ended;
    state.phase = "over";
    if (this.round === undefined || !isRoundOver(this.round)) return;
    // The loop of the round may be asleep.
    this.#stop.abort();
    this.#deps.onRoundOver();
  }

  /** Called at the start of the next round, so that teams can inspect their clusters. */
  async #endClusters(): Promise<void> {
    this.#played = [];
    const ending = this.#clusters;
    this.#clusters = [];
    await Promise.all(ending.map((cluster) => cluster[Symbol.asyncDispose]()));
  }
}

function isEnded({ phase }: TeamRound): boolean {
  return phase === "over";
}
