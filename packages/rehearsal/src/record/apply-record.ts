import { isRecord, rawKeyOf, type RawObject, stringIn } from "../source/raw-object.ts";
import type { RecordedChange } from "../source/raw-object.ts";

/** The past of a cluster that a record shows beyond its last state. */
export interface RecordedPast {
  readonly fromMs: number;
  readonly toMs: number;
  /** Each pod as it was when it was Ready for the first time. */
  readonly pods: readonly RawObject[];
  readonly events: readonly RawObject[];
  /** Pods that were stopped while their node answered, with the time from the signal to the end. */
  readonly stops: readonly { readonly pod: RawObject; readonly stopMs: number }[];
  /** Restarts that were seen, by the UID of the pod and the name of the container. */
  readonly restarts: ReadonlyMap<string, number>;
}

/** A pod whose removal takes longer than its grace period and this time was lost, not stopped. */
const lateMaxMs = 10_000;

/** Sets the objects of a source to the state of a record at a time, by default its end. */
export function applyRecord(
  base: readonly RawObject[],
  observed: readonly RecordedChange[],
  untilMs = Infinity,
): { objects: RawObject[]; past: RecordedPast } {
  const objects = new Map(base.map((object) => [rawKeyOf(object), object]));
  const past = new PastReader();
  for (const object of base) past.put(object, Number.NaN);
  const applied = observed.filter(({ atMs }) => atMs <= untilMs);
  for (const { atMs, is, object } of applied) {
    if (is === "put") objects.set(rawKeyOf(object), object);
    else objects.delete(rawKeyOf(object));
    if (is === "put") past.put(object, atMs);
    else past.remove(object, atMs);
  }
  const [fromMs, toMs] = [applied[0]?.atMs ?? 0, applied.at(-1)?.atMs ?? 0];
  return { objects: [...objects.values()], past: { fromMs, toMs, ...past.read() } };
}

class PastReader {
  readonly #ready = new Map<string, RawObject>();
  readonly #going = new Map<string, number>();
  readonly #events: RawObject[] = [];
  readonly #stops: { pod: RawObject; stopMs: number }[] = [];
  readonly #restartCounts = new Map<string, number>();
  readonly #restarts = new Map<string, number>();

  put(object: RawObject, atMs: number): void {
    if (object.kind === "Event") this.#events.push(object);
    if (object.kind !== "Pod") return;
    const { uid, deletionTimestamp } = metaOf(object);
    this.#countRestarts(object, uid);
    if (deletionTimestamp === undefined) {
      if (isReady(object) && !this.#ready.has(uid)) this.#ready.set(uid, object);
    } else if (Number.isFinite(atMs) && !this.#going.has(uid)) this.#going.set(uid, atMs);
  }

  remove(object: RawObject, atMs: number): void {
    if (object.kind !== "Pod") return;
    const { uid, graceMs } = metaOf(object);
    const fromMs = this.#going.get(uid);
    this.#going.delete(uid);
    const pod = this.#ready.get(uid);
    if (fromMs === undefined || pod === undefined || atMs - fromMs > graceMs + lateMaxMs) return;
    this.#stops.push({ pod, stopMs: atMs - fromMs });
  }

  read(): Pick<RecordedPast, "pods" | "events" | "stops" | "restarts"> {
    return {
      pods: [...this.#ready.values()],
      events: this.#events,
      stops: this.#stops,
      restarts: this.#restarts,
    };
  }

  /**
   * An increasing count is a restart; the first count of a pod includes the time before the record.
   */
  #countRestarts(pod: RawObject, uid: string): void {
    for (const { name, restartCount } of containerStatusesOf(pod)) {
      const key = `${uid} ${name}`;
      const before = this.#restartCounts.get(key);
      this.#restartCounts.set(key, restartCount);
      if (before !== undefined && restartCount > before)
        this.#restarts.set(key, (this.#restarts.get(key) ?? 0) + restartCount - before);
    }
  }
}

function containerStatusesOf({ status }: RawObject): { name: string; restartCount: number }[] {
  const all = isRecord(status) && Array.isArray(status["containerStatuses"]) ? status["containerStatuses"] : [];
  return (all as unknown[]).flatMap((each) =>
    isRecord(each) && typeof each["restartCount"] === "number"
      ? [{ name: stringIn(each["name"]), restartCount: each["restartCount"] }]
      : [],
  );
}

function isReady({ status }: RawObject): boolean {
  const conditions = isRecord(status) && Array.isArray(status["conditions"]) ? (status["conditions"] as unknown[]) : [];
  return conditions.some((each) => isRecord(each) && each["type"] === "Ready" && each["status"] === "True");
}

interface PodMeta {
  readonly uid: string;
  readonly deletionTimestamp: string | undefined;
  readonly graceMs: number;
}

function metaOf({ metadata }: RawObject): PodMeta {
  const { uid, deletionTimestamp, deletionGracePeriodSeconds } = isRecord(metadata) ? metadata : {};
  return {
    uid: stringIn(uid),
    deletionTimestamp: typeof deletionTimestamp === "string" ? deletionTimestamp : undefined,
    graceMs: 1000 * (typeof deletionGracePeriodSeconds === "number" ? deletionGracePeriodSeconds : 30),
  };
}
