import { type ConfigMap, configMaps, namespaces } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import {
  checkHistory,
  commitOf,
  type CommittedStore,
  countChecks,
  type HistoryViolation,
  Journal,
  type KeptHistory,
  Incarnation,
  Recorder,
  Wire,
} from "@kintsugi/simulation";
import type { CommittedChange } from "@kintsugi/store";
import { runDisturbances } from "./disturbances.ts";
import { loadObjects } from "./load-objects.ts";
import { WatchingClient } from "./watching-client.ts";
import { WritingClient } from "./writing-client.ts";

export interface LoadDeps {
  readonly clock: Clock;
  readonly store: Pick<CommittedStore, "observe" | "subscribe">;
  readonly random: Random;
  /**
   * A connection to the api-server like a service's: over a wire, with latency, for one incarnation
   * of the client.
   */
  readonly connect: (from: { name: string; wire: Wire; incarnation: Incarnation; attemptTimeoutMs: number }) => Client;
}

export interface LoadOptions {
  /**
   * The rate of all writing clients together per virtual second; an operation of several steps
   * counts as one.
   */
  readonly operationsPerSecond: number;
  /** The retention of the store, so that 410 is expected only where it is allowed. */
  readonly kept: KeptHistory;
}

/** The figures of the load. */
export interface LoadResult {
  readonly acknowledged: number;
  readonly refused: number;
  readonly unknown: number;
  readonly lists: number;
  readonly watches: number;
  readonly watchEvents: number;
}

/**
 * A load with a smaller share of acknowledged calls is rejected, because it hardly tests the
 * server.
 */
const answeredMin = 0.1;
const writers = 4;
const watchers = 3;
/**
 * Times after which clients give up a call. With a shorter time, many abandoned calls still take
 * effect.
 */
const attemptTimeoutsMs = [300, 1000, 3000];
/**
 * Time within which active operations end, including an increment that is retried repeatedly over a
 * bad wire.
 */
const endSecondsMax = 60;
/** Time after which all messages have arrived, and abandoned calls can no longer take effect. */
const settleMs = 5000;

/** Clients that use the API while faults continue, and their observations. */
export class Load {
  readonly journal: Journal;
  readonly #deps: LoadDeps;
  readonly #options: LoadOptions;
  readonly #stop = new AbortController();
  readonly #incarnations: Incarnation[] = [];
  readonly #wires: Wire[] = [];
  #running = 0;
  #commits = 0;
  #error: unknown;

  constructor(deps: LoadDeps, options: LoadOptions) {
    this.#deps = deps;
    this.#options = options;
    this.journal = new Journal({ nowMs: () => deps.clock.monotonicMs() });
    deps.store.observe({ opened: () => this.journal.add({ kind: "opening", atMs: this.journal.stamp() }) });
    deps.store.subscribe((changes) => {
      for (const change of changes) if (change.resource === "core/configmaps") this.#addCommit(change);
    });
  }

  /** An error that a client should never throw. */
  get error(): unknown {
    return this.#error;
  }

  /** The number of changes that the client has made. */
  get commits(): number {
    return this.#commits;
  }

  /** Creates the clients' namespace, and starts the clients. */
  async begin(admin: Client): Promise<void> {
    const { clock, random } = this.#deps;
    await admin.create(namespaces, { metadata: { name: loadObjects.namespace } });
    for (let number = 1; number <= writers; number++) this.#startWriter(`writer-${number}`);
    for (let number = 1; number <= watchers; number++) this.#startWatcher(`watcher-${number}`);
    runDisturbances({ clock, random, wires: this.#wires }, this.#stop.signal);
  }

  /** Ends the load; `pass` advances the time in which active operations end. */
  async end(admin: Client, pass: (ms: number) => Promise<void>): Promise<void> {
    this.#stop.abort(new Error("the load ends"));
    for (let seconds = 0; seconds < endSecondsMax && this.#running > 0; seconds++) await pass(1000);
    await pass(settleMs);
    if (this.#running > 0) this.#error ??= new Error(`${this.#running} clients of the load have not ended`);
    for (const incarnation of this.#incarnations) incarnation.end();
    await this.#readFinals(admin, pass);
  }

  violations(): HistoryViolation[] {
    return checkHistory(this.journal.history(), this.#options.kept);
  }

  /** The number of observations for each check. */
  checks(): Readonly<Record<string, number>> {
    return countChecks(this.journal.history());
  }

  /** Explains why the load is not a valid test: most calls did not get a response. */
  tooLittle(durationMs: number): string | undefined {
    const { acknowledged, watchEvents } = this.result();
    const wanted = Math.floor((this.#options.operationsPerSecond * durationMs * answeredMin) / 1000);
    if (acknowledged < wanted) return `only ${acknowledged} calls were acknowledged, and ${wanted} are required`;
    return watchEvents < wanted / 10 ? `watches received only ${watchEvents} events` : undefined;
  }

  result(): LoadResult {
    const { calls, lists, watches } = this.journal.history();
    const count = (is: string) => calls.filter(({ outcome }) => outcome.is === is).length;
    return {
      acknowledged: count("ok"),
      refused: count("refused"),
      unknown: count("unknown"),
      lists: lists.length,
      watches: watches.length,
      watchEvents: watches.reduce((sum, { frames }) => sum + frames.length, 0),
    };
  }

  #startWriter(name: string): void {
    const everyMs = (1000 * writers) / this.#options.operationsPerSecond;
    this.#start(new WritingClient(this.#clientDeps(name), { name, everyMs }));
  }

  #startWatcher(name: string): void {
    this.#start(new WatchingClient(this.#clientDeps(name)));
  }

  #start(client: { run: (signal: AbortSignal) => Promise<void> }): void {
    this.#running++;
    client.run(this.#stop.signal).then(
      () => this.#running--,
      (error: unknown) => (this.#error ??= error),
    );
  }

  #clientDeps(name: string) {
    const { clock, random, connect } = this.#deps;
    const incarnation = new Incarnation();
    const wire = new Wire();
    this.#incarnations.push(incarnation);
    this.#wires.push(wire);
    const attemptTimeoutMs = attemptTimeoutsMs[random.integer(attemptTimeoutsMs.length)] ?? 1000;
    const client = connect({ name, wire, incarnation, attemptTimeoutMs });
    return { recorder: new Recorder({ client, journal: this.journal }, { name, objects: loadObjects }), clock, random };
  }

  #addCommit(change: CommittedChange): void {
    this.#commits++;
    this.journal.add({ ...commitOf(change), atMs: this.journal.stamp() });
  }

  /** Reads the final state from the API; if the API no longer responds, from the log. */
  async #readFinals(admin: Client, pass: (ms: number) => Promise<void>): Promise<void> {
    let isOver = false;
    admin
      .list(configMaps, { namespace: loadObjects.namespace })
      .then(({ items }) => isOver || this.#addFinals(items))
      .catch(() => {})
      .finally(() => (isOver = true));
    await pass(1);
    for (let seconds = 0; seconds < endSecondsMax && !isOver; seconds++) await pass(1000);
    isOver = true;
  }

  #addFinals(items: readonly ConfigMap[]): void {
    const written = this.journal.history().calls.map(({ key }) => key);
    const there = items.map(({ metadata }) => loadObjects.keyOf(metadata.name ?? ""));
    const finals = loadObjects.finalsOf(new Set([...written, ...there]), items);
    for (const final of finals) this.journal.add(final);
  }
}
