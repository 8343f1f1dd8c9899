import { strict as assert } from "node:assert";
import {
  type ApiObject,
  type ChangeFilter,
  type ChangeMark,
  type ChangeStream,
  type Logger,
  type ObjectKey,
  type ResourceType,
  silentLogger,
} from "@kintsugi/api";
import { type Clock, Latch, type Random } from "@kintsugi/clock";
import type { ObjectReader, WatchEvent } from "../client.ts";
import { ChangeApplier } from "./change-applier.ts";
import type { Informer, InformerChange, InformerOptions } from "./informer.ts";
import { InputQueue } from "./input-queue.ts";
import { ObjectCache, parseRevision, revisionOf } from "./object-cache.ts";
import {
  type FollowAction,
  type FollowInput,
  type FollowState,
  initialFollowState,
  planInformerStep,
  saysNothing,
} from "./plan-informer-step.ts";
import { ServerReader } from "./server-reader.ts";
import { StreamSubscription } from "./stream-subscription.ts";

/**
 * A revision named by another answer may be ahead of the stream by the delivery time of a message.
 * Only after that time is the message missing.
 */
const noticeGraceMs = 250;
/**
 * Limit on messages that wait while an object is fetched. A stream that sends more is interrupted
 * and read again.
 */
const waitingMax = 10_000;

export interface InformerDeps {
  client: ObjectReader;
  clock: Clock;
  random: Random;
  /** The informer uses HTTP watches where the change stream is absent or down. */
  changes?: ChangeStream | undefined;
  log?: Logger;
}

/** Makes an informer; `run` starts it. */
export function createInformer<T extends ApiObject>(deps: InformerDeps, options: InformerOptions<T>): Informer<T> {
  return new FollowingInformer(deps, options);
}

class FollowingInformer<T extends ApiObject> implements Informer<T> {
  readonly type: ResourceType<T>;
  readonly #client: ObjectReader;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #cache: ObjectCache<T>;
  readonly #handlers = new Set<(change: InformerChange<T>) => void>();
  readonly #inputs = new InputQueue();
  readonly #firstList = new Latch();
  readonly #applier: ChangeApplier<T>;
  readonly #reader: ServerReader<T>;
  readonly #subscription: StreamSubscription | undefined;
  readonly #onFollow: (signal: AbortSignal) => void;
  #state: FollowState = initialFollowState;
  #isRunning = false;
  #isHandling = false;
  #noticedRevision = 0;
  #noticeIsDue = false;

  constructor(deps: InformerDeps, options: InformerOptions<T>) {
    const { client, clock, random, changes, log = silentLogger } = deps;
    this.type = options.type;
    this.#onFollow = (signal) =>
      client.onFollow?.(
        this as unknown as Informer<ApiObject>,
        options as unknown as InformerOptions<ApiObject>,
        signal,
      );
    this.#client = client;
    this.#clock = clock;
    this.#log = log.child({ informer: options.type.resource });
    this.#cache = new ObjectCache(options);
    this.#applier = new ChangeApplier(
      { client, cache: this.#cache, tell: (happened) => this.#tell(happened), parse: changes?.parse },
      options,
    );
    this.#reader = new ServerReader({ client, clock, random, log: this.#log }, options, {
      onListed: (objects, resourceVersion) => this.#onListed(objects, parseRevision(resourceVersion)),
      onWatched: (event) => this.#onWatched(event),
      onReadEnded: () => this.#pushRead({ is: "read-ended" }),
      onExpired: () => this.#pushRead({ is: "expired" }),
    });
    if (changes !== undefined && isCarriedByStream(options)) {
      this.#subscription = new StreamSubscription({ changes, clock, random, log: this.#log }, filterOf(options));
    }
  }

  get synced(): boolean {
    return this.#firstList.isOpen;
  }

  find(key: ObjectKey): T | undefined {
    return this.#cache.find(key);
  }

  list(): readonly T[] {
    return this.#cache.list();
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#cache.byIndex(index, value);
  }

  onChange(handler: (change: InformerChange<T>) => void): () => void {
    for (const object of this.#cache.list()) handler({ type: "added", object });
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  position(): number {
    return this.#state.position;
  }

  waitForSync(signal: AbortSignal): Promise<void> {
    return this.#firstList.wait(signal);
  }

  noticeRevision(revision: number): void {
    this.#reader.serverWasHeard();
    this.#noticedRevision = Math.max(this.#noticedRevision, revision);
    if (this.#noticeIsDue || revision <= this.#state.position) return;
    this.#noticeIsDue = true;
    this.#clock.after(noticeGraceMs, () => {
      this.#noticeIsDue = false;
      if (this.#isRunning) this.#inputs.push({ input: { is: "noticed", revision: this.#noticedRevision } });
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    assert(!this.#isRunning, `the informer of ${this.type.resource} is already running`);
    this.#isRunning = true;
    this.#onFollow(signal);
    this.#state = { ...initialFollowState, historyId: this.#state.historyId };
    this.#inputs.clear();
    this.#isHandling = false;
    const ended = new AbortController();
    const stopListening = this.#client.onReturn(() => this.#reader.serverWasHeard());
    const subscription = this.#startSubscription(AbortSignal.any([signal, ended.signal]));
    try {
      await this.#handleInputs(signal);
    } finally {
      stopListening();
      this.#reader.stop();
      ended.abort(new Error("the informer ended"));
      await subscription;
      this.#isRunning = false;
    }
  }

  /**
   * Subscribes first, so that the following list does not miss changes. A bus that is down does not
   * delay the list.
   */
  #startSubscription(signal: AbortSignal): Promise<void> {
    let started = false;
    const start = () => {
      if (!started) this.#inputs.push({ input: { is: "start" } });
      started = true;
    };
    if (this.#subscription === undefined) {
      start();
      return Promise.resolve();
    }
    return this.#subscription.run(
      {
        onSubscribed: () => this.#inputs.push({ input: { is: "subscribed" } }),
        onInterrupted: () => this.#inputs.push({ input: { is: "interrupted" } }),
        onChange: (change) => this.#pushMessage({ is: "change", change }),
        onMark: (mark) => this.#onMark(mark),
        onFirstAttempt: start,
      },
      signal,
    );
  }

  /**
   * Nearly all marks are older than the position of an informer that follows the stream, so they do
   * not wake a waiter.
   */
  #onMark(mark: ChangeMark): void {
    this.#reader.serverWasHeard();
    const isAtRest = !this.#isHandling && this.#inputs.length === 0;
    if (isAtRest && saysNothing(this.#state, mark)) return;
    this.#pushMessage({ is: "mark", mark });
  }

  #pushMessage(input: FollowInput): void {
    this.#inputs.push({ input });
    if (this.#inputs.length > waitingMax) this.#subscription?.interrupt("the informer could not keep up");
  }

  #pushRead(input: FollowInput, before?: () => void): void {
    const reading = this.#reader.reading;
    this.#inputs.push(before === undefined ? { input, reading } : { input, before, reading });
  }

  #onListed(objects: readonly T[], revision: number): void {
    this.#pushRead({ is: "listed", revision }, () => this.#tell(this.#cache.replaceAll(objects)));
  }

  #onWatched(event: WatchEvent<T>): void {
    if (event.type === "BOOKMARK") {
      this.#pushRead({ is: "bookmark", revision: parseRevision(event.resourceVersion) });
      return;
    }
    const { type, object } = event;
    this.#pushRead({ is: "watched", revision: revisionOf(object) }, () =>
      this.#tell(type === "DELETED" ? this.#cache.delete(object) : this.#cache.put(object)),
    );
  }

  async #handleInputs(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const taken = await this.#inputs.take(signal);
      this.#isHandling = true;
      for (const { input, before, reading } of taken) {
        if (signal.aborted) return;
        if (reading !== undefined && reading !== this.#reader.reading) continue;
        before?.();
        await this.#step(input, signal);
        if (input.is === "listed") this.#firstList.open();
      }
      this.#isHandling = false;
    }
  }

  async #step(input: FollowInput, signal: AbortSignal): Promise<void> {
    const before = this.#state;
    const { state, actions } = planInformerStep(before, input);
    this.#state = state;
    if (state.source !== before.source) {
      this.#log.debug("informer changes its source", {
        from: before.source,
        to: state.source,
        because: input.is,
        position: state.position,
      });
    }
    for (const action of actions) await this.#perform(action, before.position, signal);
  }

  async #perform(action: FollowAction, positionBefore: number, signal: AbortSignal): Promise<void> {
    switch (action.do) {
      case "list":
        return this.#reader.list();
      case "watch":
        return this.#reader.watch(action.from);
      case "stop-reading":
        return this.#reader.stop();
      case "apply": {
        const result = await this.#applier.apply(action.changes, positionBefore, signal);
        if (result.applied || signal.aborted) return;
        this.#log.warn("cannot fetch an object that changed", { error: result.error, position: result.position });
        return this.#step({ is: "not-applied", position: result.position }, signal);
      }
    }
  }

  #tell(changes: readonly InformerChange<T>[]): void {
    for (const change of changes) for (const handler of this.#handlers) handler(change);
  }
}

/**
 * Single objects and objects by label are followed over HTTP, because the stream cannot distinguish
 * them.
 */
function isCarriedByStream<T extends ApiObject>(options: InformerOptions<T>): boolean {
  return options.name === undefined && options.labelSelector === undefined;
}

function filterOf<T extends ApiObject>({ type, nodeName }: InformerOptions<T>): ChangeFilter {
  const filter = { group: type.group, resource: type.resource };
  return nodeName === undefined ? filter : { ...filter, nodeName };
}
