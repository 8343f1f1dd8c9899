import { type Entry, ValueSealed } from "../store.ts";
import type { StoredValues } from "../stored-values.ts";
import type {
  LogCommit,
  LogFollower,
  LoggedChange,
  LogHead,
  LogMark,
  LogPosition,
  ReplicatedLog,
} from "./replicated-log.ts";

/**
 * A log whose values are sealed, and opened for its replicas. Replicas may seal with different
 * keys, if each can open all of them.
 */
export class SealedLog implements ReplicatedLog {
  readonly #log: ReplicatedLog;
  readonly #values: StoredValues;

  constructor(log: ReplicatedLog, values: StoredValues) {
    this.#log = log;
    this.#values = values;
  }

  get limits() {
    return this.#log.limits;
  }

  begin(first: LogHead, mark: LogMark): Promise<LogHead> {
    return this.#log.begin(first, mark);
  }

  async fill(first: LogHead, mark: LogMark, pages: AsyncIterable<readonly Entry[]>): Promise<void> {
    const seal = (entry: Entry): Entry => ({ ...entry, value: this.#values.seal(entry.key, entry.value) });
    const sealed = async function* () {
      for await (const page of pages) yield page.map(seal);
    };
    await this.#log.fill(first, mark, sealed());
  }

  markAt(atMs: number): Promise<{ mark: LogMark; position: LogPosition }> {
    return this.#log.markAt(atMs);
  }

  async *entriesAt(position: LogPosition): AsyncGenerator<readonly Entry[]> {
    for await (const page of this.#log.entriesAt(position)) yield page.map((entry) => this.#opened(entry));
  }

  follow(position: LogPosition, follower: LogFollower): () => void {
    let isOver = false;
    const stop = this.#log.follow(position, {
      commit: (commit, at) => {
        if (isOver) return;
        let opened: LogCommit;
        try {
          opened = { ...commit, changes: commit.changes.map((change) => this.#opened(change)) };
        } catch (error) {
          isOver = true;
          follower.failed(error as Error);
          return;
        }
        follower.commit(opened, at);
      },
      failed: (error) => {
        if (!isOver) follower.failed(error);
      },
    });
    return () => {
      isOver = true;
      stop();
    };
  }

  head(): Promise<LogHead> {
    return this.#log.head();
  }

  append(expected: LogHead, commit: LogCommit): Promise<LogPosition | undefined> {
    const changes = commit.changes.map((change) => ({ ...change, value: this.#values.seal(change.key, change.value) }));
    return this.#log.append(expected, { ...commit, changes });
  }

  isFull(): boolean {
    return this.#log.isFull();
  }

  compact(revision: number): Promise<{ removed: number }> {
    return this.#log.compact(revision);
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  /** @throws ValueSealed */
  #opened<T extends Entry | LoggedChange>(sealed: T): T {
    const { key, revision } = sealed;
    try {
      const { value, stale } = this.#values.open(key, sealed.value);
      return stale ? { ...sealed, value, stale } : { ...sealed, value };
    } catch (cause) {
      throw new ValueSealed(`${key}, at revision ${revision}, cannot be read: ${(cause as Error).message}`, { cause });
    }
  }
}
