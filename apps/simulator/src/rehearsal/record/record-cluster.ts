import { createHash } from "node:crypto";
import { setMaxListeners } from "node:events";
import { apiVersionOf, isApiError } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import {
  isRecord,
  listPathOf,
  observedLine,
  rawKeyOf,
  type RawObject,
  type RehearsedKind,
  rehearsedKinds,
} from "@kintsugi/rehearsal";
import type { ClusterReader } from "../sources/cluster-reader.ts";
import { dumpText, withoutContents } from "../sources/dump-text.ts";
import { listedItems, readLive } from "../sources/read-live.ts";

export interface RecordDeps {
  readonly reader: ClusterReader;
  readonly clock: Clock;
  /** Writes a piece of the record. */
  readonly write: (text: string) => void;
  /** Informs the user who records. */
  readonly say: (line: string) => void;
}

/**
 * A record of a day of several thousand pods has a few hundred megabytes; a larger record is not
 * read.
 */
const bytesMaxDefault = 1024 * 1024 * 1024;
/** Delay before an ended stream is resumed; each failure doubles it. */
const pauseMs = 1_000;
const pauseMaxMs = 30_000;

/**
 * Changes of these kinds are not recorded. Changes of a kind that only appears in reports have no
 * effect on a rehearsal, and Leases are heartbeats: a thousand nodes renew them a hundred times a
 * second.
 */
const watchedKinds = rehearsedKinds.filter(({ kind, use }) => use !== "named" && kind.type.resource !== "leases");

/**
 * Records a cluster, and then each change that matters, until the signal aborts. The record is
 * complete after each line.
 * @returns the number of changes.
 */
export async function recordCluster(
  { reader, clock, write, say }: RecordDeps,
  { signal, bytesMax = bytesMaxDefault }: { signal: AbortSignal; bytesMax?: number },
): Promise<number> {
  const { objects, listed, revisions } = await readLive(reader, say);
  const full = new AbortController();
  const stop = AbortSignal.any([signal, full.signal]);
  // Each stream and each pause adds a listener, so there are as many listeners as kinds.
  setMaxListeners(4 * watchedKinds.length, stop);
  let changes = 0;
  let bytes = 0;
  const append = (text: string) => {
    bytes += text.length;
    write(`${text}\n`);
    if (bytes < bytesMax) return;
    say(`the record reached ${Math.round(bytes / 2 ** 20)} MiB and ends here: record for a shorter time`);
    full.abort();
  };
  const put = (text: string) => {
    if (!stop.aborted) append(text);
  };
  // The lists are useful even if the time was over before all of them were read.
  append(dumpText({ name: reader.name, objects, listed, isWhole: false }));
  const followers = watchedKinds.flatMap((kind) => {
    const revision = revisions.get(listPathOf(kind));
    if (revision === undefined) return [];
    const { apiVersion, kind: word } = namesOf(kind);
    const present = objects.filter((object) => object.kind === word && object.apiVersion === apiVersion);
    const note = (is: "put" | "removed", object: RawObject) => {
      changes++;
      put(observedLine({ atMs: clock.nowMs(), is, object }));
    };
    return [new KindFollower({ reader, clock, say, note }, { kind, revision, present }).run(stop)];
  });
  await Promise.all(followers);
  return changes;
}

interface FollowerDeps extends Pick<RecordDeps, "reader" | "clock" | "say"> {
  readonly note: (is: "put" | "removed", object: RawObject) => void;
}

/** Follows one kind, and records the changes that a rehearsal can use. */
class KindFollower {
  readonly #deps: FollowerDeps;
  readonly #kind: RehearsedKind;
  /** A digest of each existing object, which heartbeats do not change. */
  readonly #known = new Map<string, string>();
  #revision: string;

  constructor(
    deps: FollowerDeps,
    { kind, revision, present }: { kind: RehearsedKind; revision: string; present: readonly RawObject[] },
  ) {
    this.#deps = deps;
    this.#kind = kind;
    this.#revision = revision;
    for (const object of present) this.#known.set(rawKeyOf(object), digestOf(withoutContents(object)));
  }

  async run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        if (isApiError(error, "Forbidden", "Unauthorized", "NotFound", "MethodNotAllowed")) return this.#tellRefusal();
        failures++;
        if (isApiError(error, "Expired")) await this.#listAgain().catch(() => {});
      }
      await this.#deps.clock.sleep(Math.min(pauseMaxMs, pauseMs * 2 ** failures), signal).catch(() => {});
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for await (const { type, object } of this.#deps.reader.watch(this.#kind, this.#revision, signal)) {
      if (signal.aborted) return;
      const { resourceVersion } = isRecord(object["metadata"]) ? object["metadata"] : {};
      if (typeof resourceVersion === "string") this.#revision = resourceVersion;
      if (type === "ADDED" || type === "MODIFIED") this.#put({ ...namesOf(this.#kind), ...object });
      if (type === "DELETED") this.#remove({ ...namesOf(this.#kind), ...object });
    }
  }

  /**
   * The server no longer has the changes in between, so the recorded objects may differ from the
   * server's.
   */
  async #listAgain(): Promise<void> {
    const gone = new Set(this.#known.keys());
    const keep = (revision: string) => (this.#revision = revision);
    for await (const item of listedItems(this.#deps.reader, this.#kind, keep)) {
      const object: RawObject = { ...namesOf(this.#kind), ...item };
      gone.delete(rawKeyOf(object));
      this.#put(object);
    }
    for (const key of gone) {
      const [, , namespace = "", name = ""] = key.split(" ");
      this.#remove({ ...namesOf(this.#kind), metadata: { name, ...(namespace === "" ? {} : { namespace }) } });
    }
  }

  #put(object: RawObject): void {
    const kept = withoutContents(object);
    const digest = digestOf(kept);
    if (this.#known.get(rawKeyOf(object)) === digest) return;
    this.#known.set(rawKeyOf(object), digest);
    // Only events of pulls contain durations.
    if (object.kind !== "Event" || object["reason"] === "Pulled") this.#deps.note("put", kept);
  }

  #remove(object: RawObject): void {
    this.#known.delete(rawKeyOf(object));
    if (object.kind !== "Event") this.#deps.note("removed", withoutContents(object));
  }

  #tellRefusal(): void {
    const { group, resource } = this.#kind.kind.type;
    this.#deps.say(
      `${resource}: you may not watch these objects, so their changes are not in the record; the missing rule is: apiGroups ["${group}"], resources ["${resource}"], verbs ["watch"] (\`rehearse record --print-role\` prints all rules)`,
    );
  }
}

function namesOf({ kind: { type } }: RehearsedKind): { apiVersion: string; kind: string } {
  return { apiVersion: apiVersionOf(type), kind: type.kind };
}

/** Revisions and heartbeats change all the time, and do not contain information. */
function digestOf(object: RawObject): string {
  const text = JSON.stringify(object, (key, value: unknown) =>
    key === "resourceVersion" || key === "lastHeartbeatTime" || key === "lastProbeTime" ? undefined : value,
  );
  return createHash("sha1").update(text).digest("base64");
}
