/**
 * One incarnation of a process. When it has ended, its unfinished work never reaches other
 * processes.
 */
export class Incarnation {
  readonly #onEnd: (() => void)[] = [];
  #ended = false;
  #isPaused = false;
  /** The events of the time in which the process was paused, in their order. */
  #waiting: (() => void)[] = [];

  /** Timers of the process that have fired. */
  wakeUps = 0;

  get ended(): boolean {
    return this.#ended;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Releases the process's connections when it ends. */
  onEnd(release: () => void): void {
    this.#onEnd.push(release);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#waiting = [];
    for (const release of this.#onEnd.splice(0)) release();
  }

  /** Pauses, as under SIGSTOP: timers and messages wait. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Continues, and immediately receives everything that arrived in the meantime. */
  resume(): void {
    this.#isPaused = false;
    for (const happen of this.#waiting.splice(0)) this.whenAwake(happen);
  }

  /** Delivers an event to the process: now, when it continues, or never. */
  whenAwake(happen: () => void): void {
    if (this.#ended) return;
    if (this.#isPaused) this.#waiting.push(happen);
    else happen();
  }

  /**
   * Undefined while the process runs; a caller that waits for a process that has ended waits
   * forever.
   */
  awake(): Promise<void> | undefined {
    return this.#ended || this.#isPaused ? new Promise((resolve) => this.whenAwake(resolve)) : undefined;
  }
}

/** Never resolves, because its process is dead. */
export function never(): Promise<never> {
  return new Promise(() => {});
}

/**
 * Returns the object for use by the process. While the process is paused, results wait; when the
 * process has ended, the methods never return.
 */
export function mortal<T extends object>(target: T, incarnation: Incarnation): T {
  const methods = new Map<string | symbol, (...given: unknown[]) => unknown>();
  const method = (value: (...given: unknown[]) => unknown) => {
    return (...given: unknown[]): unknown => {
      if (incarnation.ended) return never();
      const answer = Reflect.apply(value, target, given);
      if (answer instanceof Promise) return heard(answer, incarnation);
      return isAsyncIterable(answer) ? heardStream(answer, incarnation) : answer;
    };
  };
  return new Proxy(target, {
    get(_, name) {
      const known = methods.get(name);
      if (known) return known;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const wrapped = method(value as (...given: unknown[]) => unknown);
      methods.set(name, wrapped);
      return wrapped;
    },
  });
}

/** Passes a response to the process once the process runs, and never after its end. */
async function heard<T>(answer: Promise<T>, incarnation: Incarnation): Promise<T> {
  try {
    const result = await answer;
    const asleep = incarnation.awake();
    if (asleep) await asleep;
    return result;
  } catch (error) {
    await incarnation.awake();
    throw error;
  }
}

/** `heard` for a response that arrives in pieces. */
async function* heardStream<T>(stream: AsyncIterable<T>, incarnation: Incarnation): AsyncGenerator<T, void> {
  for await (const item of stream) {
    const asleep = incarnation.awake();
    if (asleep) await asleep;
    yield item;
  }
  await incarnation.awake();
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
