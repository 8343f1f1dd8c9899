import { strict as assert } from "node:assert";
import { assertObjectKey, resourceOfKey } from "../object-key.ts";
import type { StoreState } from "../state/store-state.ts";
import {
  type Change,
  type Committed,
  type CommittedChange,
  type EncodedObject,
  type Entry,
  type EntryIndex,
  ObjectTooLarge,
  StoreFull,
  type StoreReader,
  type UpdateOptions,
} from "../store.ts";

/** An update that waits for its batch. */
export interface PendingUpdate {
  readonly key: string;
  readonly change: (current: Entry | undefined, reader: StoreReader) => Change<unknown>;
  readonly options: UpdateOptions;
  resolve(committed: Committed<unknown>): void;
  reject(error: unknown): void;
  /**
   * Set when the caller of the update has been answered without an outcome. The update is then no
   * longer decided.
   */
  isGivenUp?: boolean;
  /** Set when the update is being written to the log. */
  isSent?: boolean;
}

/** The size of the largest batch that a log accepts. */
export interface BatchLimits {
  /** A put is one operation, and a delete two: it removes the object and keeps its final state. */
  readonly operationsMax: number;
  /** The total size of the objects. */
  readonly bytesMax: number;
  /** True if a batch can write each key only once. */
  readonly isKeyOnce: boolean;
}

/** One turn of the committer: its writes, and the answers that it returns once they are durable. */
export interface Batch {
  readonly changes: readonly CommittedChange[];
  /** One decision for each update that the batch took, in their order. */
  readonly answers: readonly (() => void)[];
}

/**
 * A transaction may inspect this many keys in addition to its own (etcd's limit), because every
 * batch waits for it.
 */
const readsMax = 128;

/**
 * Maximum number of updates, because the first update waits for the last update. The api-server has
 * at most a few hundred requests in flight.
 */
const updatesMax = 1024;
/**
 * A batch is in memory twice while it is written, so it ends with the object that exceeds this
 * size.
 */
const batchBytesMax = 8 * 2 ** 20;

export interface BatchOptions {
  /** True when the disk has room only for important writes. */
  isFull: boolean;
  /** If absent, the log accepts any batch. */
  limits?: BatchLimits | undefined;
}

/**
 * Decides the updates in turn, each over memory plus the writes decided before it, until the batch
 * is large enough.
 */
export function formBatch(updates: readonly PendingUpdate[], state: StoreState, options: BatchOptions): Batch {
  const draft = new Draft(state, options.limits);
  const answers: (() => void)[] = [];
  for (const update of updates) {
    if (answers.length >= updatesMax || draft.bytes >= batchBytesMax || !draft.mayWrite(update.key)) break;
    const answer = decide(update, draft, options.isFull);
    if (answer === undefined) break;
    answers.push(answer);
  }
  return { changes: draft.changes, answers };
}

/** Returns a function that answers; undefined when the update has to wait for the next batch. */
function decide(update: PendingUpdate, draft: Draft, full: boolean): (() => void) | undefined {
  try {
    const decided = update.change(draft.find(update.key), new LimitedReader(draft));
    if ("refuse" in decided) throw decided.refuse;
    if (full && "put" in decided && !update.options.important) throw new StoreFull(storeFullText);
    if (!draft.hasRoom(decided)) return undefined;
    const committed = { result: decided.result, ...draft.write(update.key, decided) };
    return () => update.resolve(committed);
  } catch (error) {
    // A change that throws fails only its own update.
    return () => update.reject(error);
  }
}

const storeFullText =
  "the disk of the data directory has too little room left for this write; deletes are still accepted";

/** Memory plus the writes decided so far in this batch. */
class Draft implements StoreReader {
  readonly changes: CommittedChange[] = [];
  /** Size of the objects that this batch has written so far. */
  bytes = 0;
  readonly #state: StoreState;
  readonly #limits: BatchLimits | undefined;
  #operations = 0;
  readonly #written = new Map<string, Entry | undefined>();
  readonly #lastRevisions = new Map<string, number>();

  constructor(state: StoreState, limits: BatchLimits | undefined) {
    this.#state = state;
    this.#limits = limits;
  }

  /** False for a key that this batch has written, if the log accepts each key once. */
  mayWrite(key: string): boolean {
    return this.#limits?.isKeyOnce !== true || !this.#written.has(key);
  }

  /** @throws ObjectTooLarge when the object does not fit into any batch. */
  hasRoom(change: Exclude<Change<unknown>, { refuse: Error }>): boolean {
    if (this.#limits === undefined || "keep" in change) return true;
    const { operationsMax, bytesMax } = this.#limits;
    const bytes = sizeOf("put" in change ? change.put : change.delete);
    if (bytes > bytesMax) throw new ObjectTooLarge(`the object has ${bytes} bytes, and the log accepts ${bytesMax}`);
    return this.#operations + operationsOf(change) <= operationsMax && this.bytes + bytes <= bytesMax;
  }

  find(key: string): Entry | undefined {
    return this.#written.has(key) ? this.#written.get(key) : this.#state.find(key);
  }

  count(prefix: string): number {
    let count = this.#state.count(prefix);
    for (const [key, entry] of this.#written) {
      if (!key.startsWith(prefix)) continue;
      count += Number(entry !== undefined) - Number(this.#state.find(key) !== undefined);
    }
    return count;
  }

  written(): readonly CommittedChange[] {
    return this.changes;
  }

  write(key: string, change: Exclude<Change<unknown>, { refuse: Error }>): Omit<Committed<unknown>, "result"> {
    const before = this.find(key);
    const seen = this.#state.revision + this.changes.length;
    if ("keep" in change) return { entry: before, revision: seen };
    const type = "put" in change ? "put" : "delete";
    assert(type === "put" || before !== undefined, `${key} cannot be deleted: it does not exist`);
    assertObjectKey(key);
    const revision = seen + 1;
    const object = "put" in change ? change.put : change.delete;
    const entry = createEntry(key, revision, { object, index: change.index });
    const resource = resourceOfKey(key);
    const previousOfResource = this.#lastRevisions.get(resource) ?? this.#state.lastRevisionOf(resource);
    this.changes.push({ revision, resource, previousOfResource, type, entry, before });
    this.bytes += entry.value.byteLength;
    this.#operations += operationsOf(change);
    this.#lastRevisions.set(resource, revision);
    this.#written.set(key, type === "put" ? entry : undefined);
    return { entry, revision };
  }
}

class LimitedReader implements StoreReader {
  readonly #draft: Draft;
  #reads = 0;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  find(key: string): Entry | undefined {
    this.#take();
    return this.#draft.find(key);
  }

  count(prefix: string): number {
    this.#take();
    return this.#draft.count(prefix);
  }

  written(): readonly CommittedChange[] {
    return this.#draft.changes;
  }

  #take(): void {
    assert(++this.#reads <= readsMax, `a transaction reads more than ${readsMax} keys`);
  }
}

function operationsOf(change: Exclude<Change<unknown>, { refuse: Error } | { keep: true }>): number {
  return "put" in change ? 1 : 2;
}

/** The revision has up to 16 digits. */
function sizeOf({ head, tail }: EncodedObject): number {
  return head.byteLength + tail.byteLength + 16;
}

export function createEntry(
  key: string,
  revision: number,
  content: { object: EncodedObject; index: EntryIndex },
): Entry {
  const { head, tail } = content.object;
  const digits = Buffer.from(String(revision), "latin1");
  // Not allocated from Node's shared pool, because an entry lives long, and a small entry would
  // retain eight kilobytes of the pool.
  const value = Buffer.allocUnsafeSlow(head.byteLength + digits.byteLength + tail.byteLength);
  value.set(head, 0);
  value.set(digits, head.byteLength);
  value.set(tail, head.byteLength + digits.byteLength);
  return { key, revision, value, index: content.index };
}
