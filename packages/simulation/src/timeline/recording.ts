import { type Event, type EventEntry, type JournalEntry, mergeTimeline, type TimerProfile } from "@kintsugi/api";
import type { CommittedChange } from "@kintsugi/store";
import type { ObjectChange } from "@kintsugi/story";
import type { SimulatedCluster } from "../cluster.ts";
import { parseValue } from "../committed-values.ts";
import type { PlannedFault } from "../scenario/scenario.ts";
import { Availability } from "./availability.ts";
import type { FaultPhase, RunObserver } from "./run-observer.ts";
import { faultStep } from "./fault-step.ts";
import { RecordedObjects } from "./recorded-objects.ts";
import { formatInstant, type Step } from "./step.ts";

export interface RecordingDeps {
  cluster: SimulatedCluster;
  /** Returns the meaning of one committed change for a recovery. */
  entriesOf: (change: CommittedChange, timeMs: number) => readonly JournalEntry[];
}

/** An event that is repeated after more than this time counts as a new cause. */
const againMs = 60_000;

/** Records all events in one run of a cluster, for a report afterwards. */
export class Recording implements RunObserver {
  readonly availability: Availability;
  readonly #cluster: SimulatedCluster;
  readonly #entriesOf: RecordingDeps["entriesOf"];
  readonly #journal: JournalEntry[] = [];
  readonly #objects: RecordedObjects | undefined;
  readonly #events = new Map<string, EventEntry & { times: number; lastMs: number }>();
  readonly #faults: Step[] = [];
  readonly #unsubscribe: () => void;
  #beganMs = 0;
  #beganWallMs = 0;
  #endMs: number | undefined;

  /** @param options objects: true records each written object, for a player. Default: false. */
  constructor(
    { cluster, entriesOf }: RecordingDeps,
    options: { workloads: readonly string[]; objects?: boolean | undefined },
  ) {
    this.#cluster = cluster;
    this.#objects = options.objects === true ? new RecordedObjects() : undefined;
    this.#entriesOf = entriesOf;
    this.#unsubscribe = cluster.store.subscribe((changes) => {
      for (const change of changes) this.#observe(change);
    });
    this.availability = new Availability(cluster, options.workloads);
  }

  /** The length of the run. */
  get durationMs(): number {
    return (this.#endMs ?? this.#cluster.nowMs) - this.#beganMs;
  }

  /** The cluster is complete: time is counted from here on. */
  begin(): void {
    this.#beganMs = this.#cluster.nowMs;
    this.#beganWallMs = this.#cluster.clock.nowMs();
    this.#objects?.begin(this.#beganWallMs);
    this.#journal.length = 0;
    this.#events.clear();
    this.availability.begin();
  }

  /** The wall time in the cluster at which counting began. */
  get beganWallMs(): number {
    return this.#beganWallMs;
  }

  /** The steps of nodes and pods in the order of commits, by the cluster's wall time. */
  get journal(): readonly JournalEntry[] {
    return this.#journal.map((entry) => ({ ...entry, timeMs: entry.timeMs + this.#beganWallMs }));
  }

  /** The initial objects and each later write; undefined unless requested. */
  get objects(): { readonly changes: readonly ObjectChange[]; readonly isWhole: boolean } | undefined {
    return this.#objects?.recorded();
  }

  /** The faults, by the time since the beginning. */
  get faults(): readonly Step[] {
    return this.#faults;
  }

  fault(planned: PlannedFault, phase: FaultPhase): void {
    this.#faults.push(faultStep(planned, phase, this.#sinceBegin()));
    this.availability.sample();
  }

  end(): void {
    this.#endMs = this.#cluster.nowMs;
    this.#unsubscribe();
    this.availability.end();
  }

  /**
   * Returns the steps in order, with the timers that explain the delays; a fault precedes its
   * effects.
   */
  steps(timers: TimerProfile): Step[] {
    const events = [...this.#events.values()].map(({ times, lastMs, ...event }) => ({
      ...event,
      message: times === 1 ? event.message : `${event.message} (x${times}, last at ${formatInstant(lastMs)})`,
    }));
    const told = mergeTimeline({ journal: this.#journal, events }, timers).map(
      ({ timeMs, object, what, detail, explained }): Step => ({
        atMs: timeMs,
        object,
        what,
        detail,
        ...(explained === undefined ? {} : { explained }),
      }),
    );
    return [...this.#faults, ...told].sort((a, b) => a.atMs - b.atMs);
  }

  #sinceBegin(): number {
    return Math.round(this.#cluster.nowMs - this.#beganMs);
  }

  #observe(change: CommittedChange): void {
    const atMs = this.#sinceBegin();
    this.#objects?.observe(change, this.#cluster.clock.nowMs());
    // A node's times of its containers are exact only to the second, while the time of the commit
    // is exact.
    for (const entry of this.#entriesOf(change, atMs)) {
      this.#journal.push({ ...entry, timeMs: atMs, committedMs: undefined });
    }
    if (change.resource === "core/events" && change.type === "put") this.#observeEvent(change, atMs);
  }

  /** An event that is soon repeated becomes one step, with its count. */
  #observeEvent({ entry }: CommittedChange, atMs: number): void {
    const { involvedObject, reason = "", message = "" } = parseValue<Event>(entry.value);
    const { kind = "", namespace = "", name = "" } = involvedObject;
    const known = this.#events.get(entry.key);
    if (known && known.message === message && atMs - known.lastMs <= againMs) {
      known.times++;
      known.lastMs = atMs;
      return;
    }
    if (known) this.#events.set(`${entry.key} ${known.timeMs}`, known);
    this.#events.set(entry.key, {
      timeMs: atMs,
      exactToMs: true,
      kind,
      namespace,
      name,
      reason,
      message,
      times: 1,
      lastMs: atMs,
    });
  }
}
