/** The life of one process: when it has ended, nothing that it has begun reaches anybody any more. */
export class Life {
  readonly #end = new AbortController();
  readonly #onEnd: (() => void)[] = [];

  get ended(): boolean {
    return this.#end.signal.aborted;
  }

  /** What goes when the process goes: its connections. */
  onEnd(release: () => void): void {
    this.#onEnd.push(release);
  }

  end(): void {
    if (this.ended) return;
    this.#end.abort();
    for (const release of this.#onEnd.splice(0)) release();
  }
}

/** What a dead process waits for. */
export function never(): Promise<never> {
  return new Promise(() => {});
}

/** The same object while the process lives; afterwards its methods neither act nor answer. */
export function mortal<T extends object>(target: T, life: Life): T {
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...given: unknown[]): unknown => {
        if (life.ended) return never();
        const answer: unknown = Reflect.apply(value, target, given);
        return answer instanceof Promise ? answer.then((result: unknown) => (life.ended ? never() : result)) : answer;
      };
    },
  });
}
