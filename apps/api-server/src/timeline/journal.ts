import {
  type Lease,
  type Logger,
  type Node,
  type ObservedChange,
  planLeaseEntries,
  planNodeEntries,
  planPodEntries,
  type Pod,
  type TimelineEntry,
} from "@kintsugi/api";
import { type Clock, turnOrAbort, Waiter } from "@kintsugi/clock";
import type { CommittedChange, Entry } from "@kintsugi/store";
import { decodeEntry } from "../resources/encoding.ts";
import { parseStoreKey } from "../resources/keys.ts";
import type { KubeObject } from "../resources/resource.ts";

/**
 * Stores the journal beyond the process. A line that is lost in a crash is only a missing entry in
 * the history.
 */
export interface TimelineLog {
  /** The newest entries, oldest first; at most `limit`. */
  load(limit: number): Promise<readonly TimelineEntry[]>;
  append(entries: readonly TimelineEntry[]): Promise<void>;
}

/**
 * Limit of retained entries. A recovery of hundreds of pods has several thousand steps; about 10
 * MiB.
 */
const entriesMax = 50_000;
/**
 * Limit of changes that wait for inspection. Beyond this limit, the oldest waiting changes are
 * inspected before the next commit continues.
 */
const pendingMax = 5_000;
/** Limit of objects that are cached for the waiting changes, of some twenty kilobytes each. */
const readMax = 500;
/**
 * Changes that are inspected in one turn of the event loop. A turn takes some three milliseconds,
 * in which the server does not answer requests.
 */
export const changesPerTurn = 64;
/**
 * Longest time that a change waits, so that reading two objects per change does not delay the write
 * itself.
 */
const digestIntervalMs = 1_000;
/** A follower is a page that a person reads, so a quarter of a second is immediate. */
const followedIntervalMs = 250;

/** A watch of the timeline. */
export interface Follower {
  /** Receives new entries in the order in which they were committed. */
  push(entries: readonly TimelineEntry[]): void;
  /** Called when the server ends. */
  end(): void;
}

interface Pending {
  change: CommittedChange;
  timeMs: number;
}

interface JournalDeps {
  clock: Clock;
  log: Logger;
  file?: TimelineLog | undefined;
  /**
   * The name of this server among the servers that share its objects; absent where it is the only
   * server.
   */
  server?: string | undefined;
}

/** The recent history of nodes and pods: a bounded list, made from committed changes. */
export class Journal {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #file: TimelineLog | undefined;
  #entries: TimelineEntry[] = [];
  #unwritten: TimelineEntry[] = [];
  #pending: Pending[] = [];
  /** Objects that were read for the waiting changes. They are dropped when no change waits. */
  readonly #read = new Map<Entry, KubeObject>();
  readonly #waiter = new Waiter();
  readonly #followers = new Set<Follower>();
  #onLoaded = () => {};
  /** Resolves when the entries of an earlier process have been read, or cannot be read. */
  readonly loaded = new Promise<void>((resolve) => (this.#onLoaded = resolve));

  /** The name under which this server writes. */
  readonly #server: string | undefined;

  constructor(deps: JournalDeps) {
    this.#server = deps.server;
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#file = deps.file;
  }

  observe(changes: readonly CommittedChange[]): void {
    const timeMs = this.#clock.nowMs();
    for (const change of changes) {
      if (isTold(change) || movesLeadership(change)) this.#pending.push({ change, timeMs });
    }
    while (this.#pending.length > pendingMax) this.#digest(changesPerTurn);
    if (this.#pending.length > 0) this.#waiter.wake();
  }

  /** All retained entries, oldest first. */
  entries(): readonly TimelineEntry[] {
    this.#digest();
    return this.#entries;
  }

  /** Sends the follower all new entries until the returned function is called. */
  follow(follower: Follower): () => void {
    this.#digest();
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  /** Reads the file of an earlier process, then appends to it until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#load();
    this.#onLoaded();
    while (!signal.aborted) {
      try {
        // An idle cluster does not wake the loop.
        if (this.#pending.length === 0) await this.#waiter.wait(signal);
        await this.#clock.sleep(this.#followers.size > 0 ? followedIntervalMs : digestIntervalMs, signal);
      } catch {
        break;
      }
      // The remaining changes are inspected below when the signal aborts.
      for (this.#digest(changesPerTurn); this.#pending.length > 0 && !signal.aborted; this.#digest(changesPerTurn))
        await turnOrAbort(this.#clock, signal);
      await this.#write();
    }
    this.#digest();
    for (const follower of this.#followers) follower.end();
    await this.#write();
  }

  async #load(): Promise<void> {
    try {
      const earlier = (await this.#file?.load(entriesMax)) ?? [];
      this.#entries = [...earlier, ...this.#entries].slice(-entriesMax);
    } catch (error) {
      this.#log.warn("the stored timeline cannot be read", { error });
    }
  }

  /** Inspects the oldest waiting changes: all of them, unless there is a limit. */
  #digest(limit = this.#pending.length): void {
    if (this.#pending.length === 0) return;
    const pending = this.#pending.splice(0, limit);
    const all = pending.flatMap(({ change, timeMs }) => this.#entriesOf(change, timeMs));
    if (this.#pending.length === 0 || this.#read.size > readMax) this.#read.clear();
    for (const entry of all) this.#entries.push(entry);
    if (this.#file !== undefined) for (const entry of all) this.#unwritten.push(entry);
    if (all.length > 0) for (const follower of this.#followers) follower.push(all);
    // The list is shortened in large steps, so that not every change has to shorten it.
    if (this.#entries.length > entriesMax * 1.1) this.#entries = this.#entries.slice(-entriesMax);
  }

  /** The object after one change is the object before the next change, which often also waits. */
  #decode(entry: Entry): KubeObject {
    const known = this.#read.get(entry);
    if (known !== undefined) return known;
    const object = decodeEntry(entry);
    this.#read.set(entry, object);
    return object;
  }

  #entriesOf(change: CommittedChange, timeMs: number): TimelineEntry[] {
    const entries = isTold(change)
      ? timelineEntriesOf(change, timeMs, (each) => this.#decode(each))
      : leadershipEntriesOf(change, timeMs);
    const server = change.writer ?? this.#server;
    return server === undefined ? entries : entries.map((entry) => ({ ...entry, server }));
  }

  async #write(): Promise<void> {
    const unwritten = this.#unwritten;
    if (unwritten.length === 0 || this.#file === undefined) return;
    this.#unwritten = [];
    try {
      await this.#file.append(unwritten);
    } catch (error) {
      this.#log.warn("the timeline cannot be stored", { error });
    }
  }
}

function isTold({ resource }: CommittedChange): boolean {
  return resource === "core/pods" || resource === "core/nodes";
}

/** Programs of the control plane elect their leaders by the Leases of this namespace. */
const leadershipPrefix = "coordination.k8s.io/leases/kube-system/";
/** API servers discover each other by these Leases, which are not leader elections. */
const identityPrefix = `${leadershipPrefix}apiserver-`;

/** Renewals are most of the changes of a Lease, and would wake the loop without need. */
function movesLeadership(change: CommittedChange): boolean {
  const { key } = change.entry;
  if (!key.startsWith(leadershipPrefix) || key.startsWith(identityPrefix)) return false;
  return leadershipEntriesOf(change, 0).length > 0;
}

function leadershipEntriesOf({ type, entry, before, revision }: CommittedChange, timeMs: number): TimelineEntry[] {
  const lease = (of: Entry | undefined) => (of === undefined ? undefined : (decodeEntry(of) as unknown as Lease));
  return planLeaseEntries({
    before: lease(before),
    after: type === "delete" ? undefined : lease(entry),
    revision,
    timeMs,
  });
}

/**
 * Returns the meaning of one committed change for a recovery; an empty list when the change affects
 * neither a node nor a pod.
 * @param decode an entry's object, which must not be changed.
 */
export function timelineEntriesOf(
  change: CommittedChange,
  timeMs: number,
  decode: (entry: Entry) => KubeObject = decodeEntry,
): TimelineEntry[] {
  if (!isTold(change)) return [];
  const { type, entry, before, revision, resource } = change;
  const at = { revision, timeMs };
  // The index alone is enough for a creation and a deletion, so most changes of a scale-up are
  // never parsed here.
  if (type === "delete") return plan(resource, { ...at, before: outline(before ?? entry), after: undefined });
  if (resource === "core/pods") {
    if (before === undefined) return plan(resource, { ...at, before, after: outline(entry) });
    const binding = bindingOf(before, entry);
    if (binding !== undefined) return plan(resource, { ...at, ...binding });
  }
  return plan(resource, {
    ...at,
    before: before === undefined ? undefined : decode(before),
    after: decode(entry),
  });
}

function plan(resource: string, change: ObservedChange<KubeObject>): TimelineEntry[] {
  return resource === "core/nodes"
    ? planNodeEntries(change as ObservedChange<Node>)
    : planPodEntries(change as ObservedChange<Pod>);
}

/**
 * A pod gets its node once, by a binding. A binding also adds a condition and changes nothing else
 * that is shown here, so the pod is not parsed for a binding either. Undefined for any other
 * change.
 */
function bindingOf(before: Entry, after: Entry): { before: KubeObject; after: KubeObject } | undefined {
  const nodeOf = ({ index }: Entry) => index.fields?.["spec.nodeName"] ?? "";
  if (nodeOf(before) !== "" || nodeOf(after) === "") return undefined;
  const outlined = outline(after);
  const status = { ...(outlined.status as object | undefined), conditions: [{ type: "PodScheduled", status: "True" }] };
  return { before: outline(before), after: { ...outlined, status } };
}

/** An object with the facts from its index. */
function outline(entry: Entry): KubeObject {
  const { namespace, name } = parseStoreKey(entry.key);
  const { "spec.nodeName": nodeName = "", "status.phase": phase = "" } = entry.index.fields ?? {};
  return {
    metadata: { name, namespace },
    ...(nodeName === "" ? {} : { spec: { nodeName } }),
    ...(phase === "" ? {} : { status: { phase } }),
  };
}
