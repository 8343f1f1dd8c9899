import type { Clock } from "@kintsugi/clock";
import {
  type BatchLimits,
  type Entry,
  type LogCommit,
  type LogFollower,
  type LoggedChange,
  type LogHead,
  type LogMark,
  type LogPosition,
  LogUnreachable,
  type ReplicatedLog,
  StoreFull,
} from "@kintsugi/store";
import { type EtcdClient, EtcdOutOfSpace } from "./etcd-client.ts";
import { lacksRoom, quotaBytesDefault } from "./etcd-room.ts";
import type { KeyValue, RangeResponse, TxnResponse, WatchResponse } from "./etcd-proto.ts";
import {
  decodeDeletedValue,
  decodeHead,
  decodeMark,
  decodeObjectValue,
  encodeDeletedValue,
  encodeHead,
  encodeMark,
  encodeObjectValue,
  Layout,
} from "./layout.ts";

export interface EtcdLogOptions {
  /** Keys of the log begin with this and a slash. */
  prefix: string;
  /** The members' `--quota-backend-bytes`. Default 2 GiB, as etcd has it. */
  quotaBytes?: number;
}

/**
 * etcd accepts 128 operations in a transaction (`--max-txn-ops`), two of which are head and mark,
 * and 1.5 MiB in a request (`--max-request-bytes`), which includes keys and indexes in addition to
 * the objects.
 */
const limits: BatchLimits = { operationsMax: 124, bytesMax: 1.4 * 2 ** 20, isKeyOnce: true };
/** Objects of one page: at about 4 KiB each it has 2 MiB. */
const pageLength = 500;
/** Limit on marks that compaction inspects; at most one mark is made every minute. */
const marksMax = 1_000;
/**
 * Interval between two inspections of the room: in that time 2,500 writes of 4 KiB a second use 50
 * MB.
 */
const roomIntervalMs = 5_000;
/** Delay after which an ended watch is opened again. */
const rewatchDelayMs = 200;

/** The log in etcd that replicas of a store share. */
export class EtcdLog implements ReplicatedLog {
  readonly limits = limits;
  readonly #client: EtcdClient;
  readonly #clock: Clock;
  readonly #layout: Layout;
  readonly #quotaBytes: number;
  #isFull = false;
  #lookedMs = -Infinity;
  readonly #stops = new Set<() => void>();

  constructor(deps: { client: EtcdClient; clock: Clock }, options: EtcdLogOptions) {
    this.#client = deps.client;
    this.#clock = deps.clock;
    this.#layout = new Layout(options.prefix);
    this.#quotaBytes = options.quotaBytes ?? quotaBytesDefault;
    this.#client.metrics.quota(this.#quotaBytes);
  }

  async begin(first: LogHead, mark: LogMark): Promise<LogHead> {
    const { head, all } = this.#layout;
    // A key without a creation revision does not exist, so the condition holds only if the range is
    // empty.
    const { succeeded, responses } = await this.#client.call<TxnResponse>("Txn", {
      compare: [{ result: "EQUAL", target: "CREATE", ...all }],
      success: [put(this.#layout.mark(mark.atMs), encodeMark(mark)), put(head, encodeHead(first))],
      failure: [{ requestRange: { key: head } }],
    });
    if (succeeded) return first;
    const found = responses[0]?.responseRange ?? undefined;
    if (found?.kvs.length === 0) {
      throw new Error(
        `etcd has keys below ${all.key.toString()} that are not Kintsugi's: choose another --etcd-prefix`,
      );
    }
    return headOf(found);
  }

  async fill(first: LogHead, mark: LogMark, pages: AsyncIterable<readonly Entry[]>): Promise<void> {
    const { all, head } = this.#layout;
    const { kvs } = await this.#range({ ...all, limit: 1 });
    if (kvs.length > 0) {
      const name = all.key.toString();
      throw new Error(
        `etcd has keys below ${name}from a store, an interrupted restore or another program: choose another --etcd-prefix, or delete the keys with etcdctl del --prefix ${name}`,
      );
    }
    // Fails the transaction if another server has begun the log in the meantime.
    const compare = [{ result: "EQUAL", target: "CREATE", key: head }];
    const putAll = async (success: readonly object[]): Promise<void> => {
      const { succeeded } = await this.#client.call<TxnResponse>("Txn", { compare, success });
      if (!succeeded)
        throw new Error(`a server has begun a store below ${all.key.toString()}: stop it, and restore again`);
    };
    let batch: object[] = [];
    let batchBytes = 0;
    for await (const page of pages) {
      for (const entry of page) {
        const [key, value] = [this.#layout.object(entry.key), encodeObjectValue(entry)];
        const bytes = key.length + value.length;
        if (batch.length === limits.operationsMax || (batch.length > 0 && batchBytes + bytes > limits.bytesMax)) {
          await putAll(batch);
          batch = [];
          batchBytes = 0;
        }
        batch.push(put(key, value));
        batchBytes += bytes;
      }
    }
    if (batch.length > 0) await putAll(batch);
    await putAll([put(this.#layout.mark(mark.atMs), encodeMark(mark)), put(head, encodeHead(first))]);
  }

  async markAt(atMs: number): Promise<{ mark: LogMark; position: LogPosition }> {
    const { marks } = this.#layout;
    const until = { key: marks.key, rangeEnd: this.#layout.mark(Math.floor(atMs) + 1) };
    const newest = await this.#range({ ...until, limit: 1, sortOrder: "DESCEND" });
    const [found] = newest.kvs.length > 0 ? newest.kvs : (await this.#range({ ...marks, limit: 1 })).kvs;
    if (found === undefined)
      throw new Error("the store in etcd has no mark because one of its keys was deleted: restore a snapshot");
    return { mark: decodeMark(found.value), position: found.modRevision };
  }

  async *entriesAt(position: LogPosition): AsyncGenerator<readonly Entry[]> {
    const { objects } = this.#layout;
    for (let { key } = objects; ;) {
      const { kvs, more } = await this.#range({
        key,
        rangeEnd: objects.rangeEnd,
        revision: position,
        limit: pageLength,
      });
      yield kvs.map((kv) => decodeObjectValue(this.#layout.parse(kv.key).name, kv.value));
      const last = kvs.at(-1);
      if (!more || last === undefined) return;
      key = Buffer.concat([last.key, Buffer.from([0])]);
    }
  }

  follow(position: LogPosition, follower: LogFollower): () => void {
    const reader = new CommitReader(this.#layout, follower);
    let isStopped = false;
    let cancel = (): void => {};
    let from = BigInt(position) + 1n;
    const open = (): void => {
      reader.reset();
      const stopWatch = this.#client.watch(
        { ...this.#layout.all, startRevision: String(from), fragment: true },
        {
          response: (response) => {
            if (isStopped) return;
            if (response.canceled) {
              stop();
              const lost = `the history behind etcd's revision ${from} was compacted away, up to ${response.compactRevision}`;
              follower.failed(new Error(lost));
              return;
            }
            try {
              from = reader.read(response) ?? from;
            } catch (error) {
              stop();
              follower.failed(error as Error);
            }
          },
          ended: () => {
            const timer = this.#clock.after(rewatchDelayMs, open);
            cancel = () => timer.cancel();
          },
        },
      );
      cancel = stopWatch;
    };
    const stop = (): void => {
      isStopped = true;
      cancel();
      this.#stops.delete(stop);
    };
    this.#stops.add(stop);
    open();
    return stop;
  }

  async head(): Promise<LogHead> {
    return headOf(await this.#range({ key: this.#layout.head }));
  }

  async append(expected: LogHead, { head, changes, mark }: LogCommit): Promise<LogPosition | undefined> {
    const key = this.#layout.head;
    const transaction = {
      compare: [{ result: "EQUAL", target: "VALUE", key, value: encodeHead(expected) }],
      success: [
        ...changes.flatMap((change) => this.#operationsOf(change)),
        ...(mark === undefined ? [] : [put(this.#layout.mark(mark.atMs), encodeMark(mark))]),
        // The head is written last, so its event is the last event of a complete commit.
        put(key, encodeHead(head)),
      ],
    };
    const { succeeded, header } = await this.#take(transaction);
    if (!succeeded) this.#client.metrics.overtaken();
    return succeeded ? (header?.revision ?? "0") : undefined;
  }

  /** The result is used before each commit, although the size may be a few seconds old. */
  isFull(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs >= this.#lookedMs + roomIntervalMs) {
      this.#lookedMs = nowMs;
      void this.#lookAtRoom();
    }
    return this.#isFull;
  }

  async #lookAtRoom(): Promise<void> {
    try {
      this.#isFull = lacksRoom(await this.#client.status(), this.#quotaBytes);
    } catch (error) {
      // The state is unknown again; a member that does not answer does not accept commits either.
      if (!(error instanceof LogUnreachable)) throw error;
    }
  }

  async compact(revision: number): Promise<{ removed: number }> {
    const { kvs } = await this.#range({ ...this.#layout.marks, limit: marksMax });
    const kept = kvs.findLast(({ value }) => decodeMark(value).revision <= revision);
    if (kept === undefined) return { removed: 0 };
    const mark = decodeMark(kept.value);
    // The position itself can still be read and followed.
    await this.#client.call("Compact", { revision: kept.modRevision }).catch((error: unknown) => {
      // Another server has already compacted up to this revision.
      if (!/required revision has been compacted/.test((error as Error).message)) throw error;
    });
    const { responses } = await this.#client.call<TxnResponse>("Txn", {
      success: [
        { requestDeleteRange: this.#layout.deletedUpTo(mark.revision) },
        { requestDeleteRange: { key: this.#layout.marks.key, rangeEnd: kept.key } },
      ],
    });
    const removed = responses.map(({ responseDeleteRange }) => Number(responseDeleteRange?.deleted ?? 0));
    return { removed: removed.reduce((sum, each) => sum + each, 0) };
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#client.close();
  }

  /** @throws StoreFull at etcd's quota, after which its administrator has to act. */
  async #take(transaction: object): Promise<TxnResponse> {
    try {
      return await this.#client.call<TxnResponse>("Txn", transaction);
    } catch (error) {
      if (!(error instanceof EtcdOutOfSpace)) throw error;
      this.#isFull = true;
      throw new StoreFull(error.message, { cause: error });
    }
  }

  #range(request: object): Promise<RangeResponse> {
    return this.#client.call<RangeResponse>("Range", request);
  }

  #operationsOf(change: LoggedChange): object[] {
    const key = this.#layout.object(change.key);
    if (change.type === "put") return [put(key, encodeObjectValue(change))];
    return [{ requestDeleteRange: { key } }, put(this.#layout.deleted(change.revision), encodeDeletedValue(change))];
  }
}

/**
 * Combines a watch's events into commits. The parts of a commit arrive together, or in fragments.
 */
class CommitReader {
  readonly #layout: Layout;
  readonly #follower: LogFollower;
  #changes: LoggedChange[] = [];
  #mark: LogMark | undefined;

  constructor(layout: Layout, follower: LogFollower) {
    this.#layout = layout;
    this.#follower = follower;
  }

  /** A watch that is opened again begins with a complete commit. */
  reset(): void {
    this.#changes = [];
    this.#mark = undefined;
  }

  /**
   * Returns the revision from which to continue; undefined when no commit was completed.
   * @throws Error for values that do not belong to the log.
   */
  read({ events }: WatchResponse): bigint | undefined {
    let next: bigint | undefined;
    for (const { type, kv } of events) {
      // A removed object has its final state under x; other removals come from a compaction.
      if (kv === null || type === "DELETE") continue;
      if (this.#take(kv)) next = BigInt(kv.modRevision) + 1n;
    }
    return next;
  }

  /** Returns true when the commit is complete. */
  #take(kv: KeyValue): boolean {
    const { form, name } = this.#layout.parse(kv.key);
    switch (form) {
      case "o":
        this.#changes.push({ type: "put", ...decodeObjectValue(name, kv.value) });
        return false;
      case "x":
        this.#changes.push({ type: "delete", ...decodeDeletedValue(Number(name), kv.value) });
        return false;
      case "t":
        this.#mark = decodeMark(kv.value);
        return false;
      case "head": {
        const changes = this.#changes.sort((a, b) => a.revision - b.revision);
        const commit = { head: decodeHead(kv.value), changes, mark: this.#mark };
        this.reset();
        this.#follower.commit(commit, kv.modRevision);
        return true;
      }
      case undefined:
        throw new Error(`etcd has the key ${kv.key.toString()} under the store's prefix: choose another --etcd-prefix`);
    }
  }
}

/** @throws Error when the key does not exist. */
function headOf(range: RangeResponse | undefined): LogHead {
  const found = range?.kvs[0];
  if (found === undefined)
    throw new Error("the store in etcd has no head because the key was deleted: restore a snapshot");
  return decodeHead(found.value);
}

function put(key: Buffer, value: Buffer): object {
  return { requestPut: { key, value } };
}
