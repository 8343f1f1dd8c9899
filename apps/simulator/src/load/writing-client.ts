import type { Clock, Random } from "@kintsugi/clock";
import { type Outcome, pick, type Precondition, type Recorder, type Value, type Write } from "@kintsugi/simulation";
import { loadObjects } from "./load-objects.ts";

export interface LoadClientDeps {
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly random: Random;
}

export interface WritingClientOptions {
  readonly name: string;
  /** Average time between two operations. */
  readonly everyMs: number;
}

/** Few keys, so that clients conflict. */
export const keys = Array.from({ length: 6 }, (_, index) => loadObjects.keyOf(`item-${index + 1}`));
const counters = ["counter-1", "counter-2"].map((name) => loadObjects.keyOf(name));
export const colors = ["red", "green", "blue"];
const count = "data.count";
/**
 * Number of further reads of a client whose read became stale because of another client's change.
 */
const raisesMax = 3;

/** A client's next operation, with its share of `total`. */
type Operation = (client: WritingClient) => Promise<unknown>;

/**
 * Writes in all the ways of clients, correct and incorrect: to an object that the client has read,
 * to an object that it assumes to exist, and to any object.
 */
export class WritingClient {
  readonly #deps: LoadClientDeps;
  readonly #options: WritingClientOptions;
  /** The state of each key when this client last saw it. */
  readonly #known = new Map<string, Required<Precondition>>();
  #written = 0;

  constructor(deps: LoadClientDeps, options: WritingClientOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /**
   * Runs one operation after the other, until the signal aborts; the last operation is completed.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#deps;
    for (;;) {
      await clock.sleep(random.integer(2 * this.#options.everyMs + 1), signal).catch(() => {});
      if (signal.aborted) return;
      await pick(random, operations)?.(this);
    }
  }

  async get(): Promise<void> {
    const key = this.#pickKey();
    this.#learn(key, await this.#deps.recorder.get(key));
  }

  async create(): Promise<void> {
    const key = this.#pickKey();
    this.#learn(key, await this.#deps.recorder.create(key, { asked: this.#newValue() }));
  }

  async update(): Promise<void> {
    const key = this.#pickKey();
    this.#learn(key, await this.#deps.recorder.update(key, { asked: this.#newValue(), ...this.#demand(key) }));
  }

  async patch(): Promise<void> {
    const key = this.#pickKey();
    const { random } = this.#deps;
    const whole = this.#newValue();
    const asked = random.integer(2) === 0 ? whole : { "data.v": whole["data.v"] ?? "" };
    this.#learn(key, await this.#deps.recorder.patch(key, { asked, ...this.#demand(key) }));
  }

  async delete(): Promise<void> {
    const key = this.#pickKey();
    await this.#deps.recorder.delete(key, this.#demand(key));
  }

  async list(): Promise<void> {
    const { recorder, clock, random } = this.#deps;
    const selector = random.integer(3) === 0 ? { "labels.color": pick(random, colors) ?? "" } : undefined;
    const seen = [...this.#known.values()].map(({ revision }) => revision);
    const atRevision = random.integer(5) === 0 ? pick(random, seen) : undefined;
    await recorder.list({
      limit: random.integer(4),
      pause: () => clock.sleep(random.integer(1500)),
      ...(selector && { selector }),
      ...(atRevision === undefined ? {} : { atRevision }),
    });
  }

  /**
   * Sets a counter to the value that was read plus one, and reads again if the counter has changed
   * in the meantime.
   */
  async raise(): Promise<void> {
    const { recorder, random } = this.#deps;
    const key = pick(random, counters) ?? "";
    for (let tries = 0; tries < raisesMax; tries++) {
      const read = await recorder.get(key);
      if (read.is === "refused" && read.status === 404) await recorder.create(key, { asked: { [count]: "0" } });
      if (read.is !== "ok" || read.revision === undefined) return;
      const asked = { [count]: String(Number(read.value?.[count]) + 1) };
      const write = { asked, precondition: { revision: read.revision }, increments: count };
      const { is } = await recorder.update(key, write);
      if (is !== "refused") return;
    }
  }

  #pickKey(): string {
    return pick(this.#deps.random, keys) ?? "";
  }

  /** All writes differ, so that a value identifies its writer. */
  #newValue(): Value {
    const color = pick(this.#deps.random, colors) ?? "";
    return { "data.v": `${this.#options.name}-${++this.#written}`, "labels.color": color };
  }

  /**
   * Often without a precondition; otherwise with the object as this client last saw it, which may
   * be long ago.
   */
  #demand(key: string): Pick<Write, "precondition"> {
    const known = this.#known.get(key);
    if (known === undefined) return {};
    const { revision, uid } = known;
    const demands: Precondition[] = [{ revision }, { uid }, known];
    const demand = pick(this.#deps.random, [...demands, undefined, undefined, undefined]);
    return demand ? { precondition: demand } : {};
  }

  #learn(key: string, outcome: Outcome): void {
    if (outcome.is !== "ok" || outcome.revision === undefined || outcome.uid === undefined) return;
    this.#known.set(key, { revision: outcome.revision, uid: outcome.uid });
  }
}

/** The operations, repeated by their relative frequency. */
const operations: readonly Operation[] = [
  ...Array<Operation>(3).fill((client) => client.get()),
  ...Array<Operation>(3).fill((client) => client.create()),
  ...Array<Operation>(4).fill((client) => client.update()),
  ...Array<Operation>(3).fill((client) => client.patch()),
  ...Array<Operation>(2).fill((client) => client.delete()),
  ...Array<Operation>(2).fill((client) => client.list()),
  ...Array<Operation>(3).fill((client) => client.raise()),
];
