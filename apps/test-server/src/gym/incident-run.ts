import { ApiError, formatDuration } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Random } from "@kintsugi/clock";
import type { FaultDesk } from "../faults/fault-desk.ts";
import type { Marks } from "../marks/marks.ts";
import type { Steering } from "../time/steering.ts";
import { type IncidentCause, type Incident, type IncidentWorld, type Kept } from "./incident.ts";

export interface IncidentRunDeps {
  client: Client;
  steering: Steering;
  faults: Pick<FaultDesk, "call" | "list" | "callCount">;
  marks: Pick<Marks, "resetCount">;
  random: Random;
  nodes: readonly string[];
}

/** The evaluation of an incident at one time. */
export interface IncidentVerdict {
  /** The harm has ended, and has not returned for a while. */
  readonly isOver: boolean;
  /** The harm in a sentence; undefined if the harm has ended. */
  readonly harm: string | undefined;
  /** Sentences about invalid solutions; empty if the solution is honest. */
  readonly cheats: readonly string[];
  /** Undefined if no cause was named. */
  readonly isCauseRight: boolean | undefined;
  /** Time of the cluster since the symptom was noticed. */
  readonly sinceSymptomMs: number;
}

const minute = 60_000;
/** The healthy cluster runs for a while, so that its history has a baseline. */
const [baselineMinMs, baselineDrawnMs] = [20 * minute, 40 * minute];
/** Every harm appears within this time. A dead node causes harm only after its grace period. */
const symptomMaxMs = 15 * minute;
/**
 * Time within which the pods of a machine that is off are replaced automatically, if they are
 * replaced at all.
 */
const patienceMs = 12 * minute;
const step = { durationMs: 15_000, giveClientsMs: 0 };
/**
 * Time for which the harm must not return, because a pod that is about to crash may be Ready for a
 * moment.
 */
const steadyMs = 2 * minute;

/** One incident in one cluster. */
export class IncidentRun {
  readonly incident: Incident;
  readonly #deps: IncidentRunDeps;
  readonly #kept = new Map<Kept, string>();
  #faultsInForce: readonly string[] = [];
  /** The faults and resets that existed before the person began. */
  #before = { faults: 0, resets: 0 };
  #symptomMs = 0;

  constructor(deps: IncidentRunDeps, incident: Incident) {
    this.#deps = deps;
    this.incident = incident;
  }

  /**
   * Runs the cluster for a drawn time.
   * @throws Error if the cluster is not healthy afterwards.
   */
  async prepare(): Promise<void> {
    const { client, random, steering } = this.#deps;
    const { baseline, harm, name } = this.incident;
    await baseline(client);
    await steering.advance({ durationMs: baselineMinMs + random.integer(baselineDrawnMs), giveClientsMs: 0 });
    const before = await harm(client, this.#nowMs);
    if (before !== undefined) throw new Error(`${name} began in a cluster that was not healthy: ${before}`);
    await this.#remember("baseline");
  }

  /**
   * Causes the incident, and waits for the harm.
   * @throws Error where no harm appeared.
   */
  async strike(): Promise<void> {
    const { client, random, nodes, faults } = this.#deps;
    const world: IncidentWorld = {
      client,
      random,
      nodes,
      killNode: async (target) => {
        await faults.call({ fault: "kill-node", target, with: {}, forMs: undefined, seed: 1 });
      },
    };
    await this.incident.strike(world);
    await this.#remember("strike");
    this.#faultsInForce = faults.list().map((fault) => fault.name);
    this.#before = { faults: faults.callCount, resets: this.#deps.marks.resetCount };
    await this.#untilHarm();
    this.#symptomMs = this.#nowMs;
  }

  /** Returns a sentence while the harm continues. */
  harm(): Promise<string | undefined> {
    return this.incident.harm(this.#deps.client, this.#nowMs);
  }

  /**
   * Evaluates the cluster now, and two minutes later.
   * @throws ApiError if the clock is being moved.
   */
  async check(cause: IncidentCause | undefined): Promise<IncidentVerdict> {
    const { client, steering } = this.#deps;
    const { harm } = this.incident;
    const sinceSymptomMs = this.#nowMs - this.#symptomMs;
    let found = await harm(client, this.#nowMs);
    for (let ms = 0; found === undefined && ms < steadyMs; ms += step.durationMs) {
      await steering.advance(step);
      found = await harm(client, this.#nowMs);
    }
    return {
      isOver: found === undefined,
      harm: found,
      // While the harm continues, a change of the workloads may be the incident itself.
      cheats: found === undefined ? await this.#cheats() : [],
      isCauseRight: cause === undefined ? undefined : cause === this.incident.cause,
      sinceSymptomMs,
    };
  }

  async #untilHarm(): Promise<void> {
    const { client, steering } = this.#deps;
    const { harm, name } = this.incident;
    const isByMachine = this.#faultsInForce.length > 0;
    for (let ms = 0; ms < symptomMaxMs; ms += step.durationMs) {
      await steering.advance(step);
      // Pods that are replaced without a person are not an incident.
      if ((!isByMachine || ms >= patienceMs) && (await harm(client, this.#nowMs)) !== undefined) return;
    }
    throw new Error(`${name} did no harm within ${formatDuration(symptomMaxMs)}`);
  }

  async #remember(since: Kept["since"]): Promise<void> {
    for (const kept of this.incident.kept)
      if ((kept.since ?? "baseline") === since) this.#kept.set(kept, await kept.read(this.#deps.client));
  }

  async #cheats(): Promise<string[]> {
    const { client, faults, marks } = this.#deps;
    const found: string[] = [];
    for (const [kept, before] of this.#kept)
      if ((await kept.read(client)) !== before) found.push(`${kept.what} has changed`);
    const inForce = new Set(faults.list().map(({ name }) => name));
    if (this.#faultsInForce.some((name) => !inForce.has(name)))
      found.push("a fault of the machines was undone, which is only possible in a test");
    if (faults.callCount > this.#before.faults) found.push("a fault was injected, which is only possible in a test");
    if (marks.resetCount > this.#before.resets)
      found.push("all objects were restored by a reset, which is only possible in a test");
    return found;
  }

  get #nowMs(): number {
    return this.#deps.steering.status().nowMs;
  }
}

/** @throws ApiError BadRequest for an unknown name. */
export function findIncident(incidents: readonly Incident[], name: string): Incident {
  const found = incidents.find((each) => each.name === name);
  if (found !== undefined) return found;
  throw new ApiError(
    "BadRequest",
    `there is no incident ${JSON.stringify(name)}: \`kintsugi gym list\` lists the incidents`,
  );
}
