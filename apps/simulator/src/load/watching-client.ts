import { pick, type Selector } from "@kintsugi/simulation";
import { colors, keys, type LoadClientDeps } from "./writing-client.ts";

/** Longest time for which one watch is followed; most servers end them much later. */
const watchMaxMs = 10_000;
/**
 * Largest distance of a watch's start from its client's last seen revision, in either direction.
 */
const offsetMax = 100;
/** Longest pause between two watches, so that there are changes to catch up with. */
const pauseMaxMs = 2000;

/** Watches as clients do: from a list, from the last position, and from any other revision. */
export class WatchingClient {
  readonly #deps: LoadClientDeps;
  /** The revision up to which everything was seen, if known. */
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
    // The position of a watch from the past, or with another selector, is equally suitable to
    // continue from.
    if (end === "expired") this.#position = undefined;
    else if (end !== "ahead") this.#position = reached;
    await clock.sleep(random.integer(pauseMaxMs), signal).catch(() => {});
  }
}
