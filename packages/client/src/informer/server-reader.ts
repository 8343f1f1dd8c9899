import { type ApiObject, isApiError, type Logger } from "@kintsugi/api";
import { backoffDelayMs, type Clock, jittered, type Random, Waiter } from "@kintsugi/clock";
import type { ListOptions, ObjectReader, WatchEvent } from "../client.ts";
import type { InformerOptions } from "./informer.ts";

/**
 * The server is requested to end a watch after 5 to 10 minutes, as in client-go, so that watches
 * are spread over the servers again.
 */
const watchSecondsMin = 300;
const backoff = { initialMs: 200, maxMs: 10_000, factor: 2 };
/**
 * A watch that ends earlier counts as a failure, so that a server that ends watches immediately is
 * not called without pause.
 */
const watchLastsAtLeastMs = 1_000;
/** The time over which clients that detect the server's return at the same moment are spread. */
const returnSpreadMs = 1_000;

export interface ServerReaderDeps {
  client: ObjectReader;
  clock: Clock;
  random: Random;
  log: Logger;
}

/**
 * Receives the objects that are read over HTTP. An earlier list or watch does not report events
 * once a later reading has begun, or the earlier reading was stopped.
 */
export interface ReadListener<T> {
  onListed(objects: readonly T[], resourceVersion: string): void;
  onWatched(event: WatchEvent<T>): void;
  onReadEnded(): void;
  onExpired(): void;
}

/** Reads one resource over HTTP: at any time one list, or one watch, or nothing. */
export class ServerReader<T extends ApiObject> {
  readonly #deps: ServerReaderDeps;
  readonly #options: InformerOptions<T>;
  readonly #listener: ReadListener<T>;
  #reading: AbortController | undefined;
  #readings = 0;
  #failures = 0;
  /** The time from which the server may be read again after a failure. */
  #notBeforeMs = -Infinity;
  readonly #waiter = new Waiter();

  constructor(deps: ServerReaderDeps, options: InformerOptions<T>, listener: ReadListener<T>) {
    this.#deps = deps;
    this.#options = options;
    this.#listener = listener;
  }

  /**
   * The number of the current reading. A different number means that all earlier readings have
   * ended.
   */
  get reading(): number {
    return this.#readings;
  }

  list(): void {
    this.#begin(async (signal, tell) => {
      const list = await this.#deps.client.list(this.#options.type, { ...this.#selection(), signal });
      this.#failures = 0;
      tell(() => this.#listener.onListed(list.items, list.resourceVersion));
    });
  }

  watch(from: number): void {
    this.#begin(async (signal, tell) => {
      const startedMs = this.#deps.clock.monotonicMs();
      const events = this.#deps.client.watch(this.#options.type, {
        ...this.#selection(),
        resourceVersion: String(from),
        timeoutSeconds: watchSecondsMin + this.#deps.random.integer(watchSecondsMin),
        bookmarks: true,
        signal,
      });
      for await (const event of events) {
        this.#failures = 0;
        tell(() => this.#listener.onWatched(event));
      }
      if (this.#deps.clock.monotonicMs() - startedMs < watchLastsAtLeastMs) this.#countFailure();
      tell(() => this.#listener.onReadEnded());
    });
  }

  /** Stops reading. The next failure counts as the first failure again. */
  stop(): void {
    this.#end();
    this.#failures = 0;
  }

  /**
   * The server has answered another call, so a reader that waits for the server need not wait much
   * longer.
   */
  serverWasHeard(): void {
    const { clock, random } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (this.#notBeforeMs <= nowMs + returnSpreadMs) return;
    this.#notBeforeMs = nowMs + random.float() * returnSpreadMs;
    this.#waiter.wake();
  }

  #begin(read: (signal: AbortSignal, tell: (say: () => void) => void) => Promise<void>): void {
    this.#end();
    const reading = new AbortController();
    this.#reading = reading;
    const tell = (say: () => void) => {
      if (!reading.signal.aborted) say();
    };
    void this.#run(() => read(reading.signal, tell), reading.signal);
  }

  #end(): void {
    this.#reading?.abort(new Error("reading ended"));
    this.#reading = undefined;
    this.#readings++;
  }

  async #run(read: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { log } = this.#deps;
    try {
      await this.#backOff(signal);
      await read();
    } catch (error) {
      if (signal.aborted) return;
      this.#countFailure();
      if (isApiError(error, "Expired", "Gone")) {
        this.#listener.onExpired();
        return;
      }
      log.warn("cannot read from the API server", { resource: this.#options.type.resource, error });
      this.#listener.onReadEnded();
    }
  }

  #countFailure(): void {
    const { clock, random } = this.#deps;
    this.#failures++;
    this.#notBeforeMs = clock.monotonicMs() + jittered(random, backoffDelayMs(this.#failures, backoff), 0.5);
  }

  /**
   * Waits for the delay after a failure once, even if there are further reasons to read in the
   * meantime.
   */
  async #backOff(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    for (;;) {
      signal.throwIfAborted();
      const leftMs = this.#notBeforeMs - clock.monotonicMs();
      if (leftMs <= 0) return;
      await this.#waiter.waitAtMost(leftMs, clock, signal);
    }
  }

  #selection(): ListOptions {
    const { namespace, labelSelector, metadataOnly } = this.#options;
    const fieldSelector = fieldSelectorOf(this.#options);
    return {
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(metadataOnly === undefined ? {} : { metadataOnly }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    };
  }
}

/** Selects the objects of a node: pods bound to it, and objects with its name. */
function fieldSelectorOf({ type, name, nodeName }: Pick<InformerOptions<ApiObject>, "type" | "name" | "nodeName">) {
  if (name !== undefined) return `metadata.name=${name}`;
  if (nodeName === undefined) return undefined;
  return type.group === "" && type.resource === "pods" ? `spec.nodeName=${nodeName}` : `metadata.name=${nodeName}`;
}
