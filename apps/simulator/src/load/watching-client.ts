import { pick, type Selector } from "@kintsugi/simulation";
import { colors, keys, type LoadClientDeps } from "./writing-client.ts";

/** One watch is followed for this long at most; most servers end them much later. */
const watchMaxMs = 10_000;
/** A watch may begin this far from its client's last seen revision, either way. */
const offsetMax = 100;
/**
 * A client pauses for so long at most between two watches, so that there is something to catch up
 * with.
 */
const pauseMaxMs = 2000;

/** Watches as clients do: from a list, on from where it was, and from any revision at all. */
export class WatchingClient {
  readonly #deps: LoadClientDeps;
  /** Everything up to here was seen, if it is known at all. */
  #position: number | undefined;

  constructor(deps: LoadClientDeps) {
    this.#deps = deps;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#deps;
    while (!signal.aborted) {
      const selector = random.integer(3) === 0 ? { "labels.color": pick(random, colors) ?? "" } : undefined;
      this.#position ??= await this.#list(selector);
      if (this.#position === undefined) await clock.sleep(pauseMaxMs, signal).catch(() => {});
      else await this.#watch(this.#position, selector, signal);
    }
  }

  #list(selector: Selector | undefined): Promise<number | undefined> {
    return this.#deps.recorder.list({ limit: 0, pause: () => Promise.resolve(), ...(selector && { selector }) });
  }

  async #watch(position: number, selector: Selector | undefined, signal: AbortSignal): Promise<void> {
    const { recorder, clock, random } = this.#deps;
    const isElsewhere = random.integer(4) === 0;
    const offset = isElsewhere ? random.integer(2 * offsetMax + 1) - offsetMax : 0;
    const enough = new AbortController();
    const timer = clock.after(random.integer(watchMaxMs), () => enough.abort());
    const { end, position: reached } = await recorder.watch({
      fromRevision: Math.max(1, position + offset),
      signal: AbortSignal.any([signal, enough.signal]),
      ...(random.integer(4) === 0 ? { key: pick(random, keys) ?? "" } : {}),
      ...(selector && { selector }),
    });
    timer.cancel();
    // The position of a watch from the past, or with another selector, is no worse a place to
    // continue from.
    if (end === "expired") this.#position = undefined;
    else if (end !== "ahead") this.#position = reached;
    await clock.sleep(random.integer(pauseMaxMs), signal).catch(() => {});
  }
}
