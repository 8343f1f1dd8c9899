import { isPodTerminal, type Pod } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import type { Clock, Timer } from "@kintsugi/clock";

/**
 * Limit of pods that start concurrently: while the timers of this process are on time, and while
 * they are late.
 */
export const startsMax = 200;
const startsMin = 10;
/** Growth of the limit of starts at each check. The limit is halved when timers are late. */
const startsStep = 10;
const lookEveryMs = 50;
/**
 * Delay of timers at which a process counts as overloaded, because heartbeats are delayed as much.
 */
const lateMs = 200;
/**
 * A pod is slow for a reason of its own if its start takes this multiple of the time of other pods,
 * and at least the minimum. Such a pod does not delay other pods. Where the API server is slow, all
 * pods are slow. If the next pods were started at that time, all calls would wait for each other
 * until every call exceeds its time limit.
 */
const patienceFactor = 4;
export const startPatienceMs = 5_000;
const startPatienceMaxMs = 60_000;
/** The weight of each start in the average time of recent starts. */
const tookWeight = 0.05;

type Tell = (change: InformerChange<Pod>) => void;

/** A pod that its kubelet does not have yet. */
interface Waiting {
  /** The pod's newest state. */
  readonly object: Pod;
  readonly tell: Tell;
}

interface Start {
  readonly sinceMs: number;
  /** The ids of the containers that it had on this machine before the machine booted. */
  readonly before: readonly string[];
  /** Cancels the time limit of its start; undefined after the limit has expired. */
  timer: Timer | undefined;
}

export interface StartGateDeps {
  readonly clock: Clock;
  /**
   * Reports whether a pod is idle for a while before it starts, so that it does not delay others.
   */
  readonly startsLate: (pod: Pod) => boolean;
}

/**
 * Shows pods to their kubelets as they are bound or their machines boot, but limits the number of
 * pods that have not started. A machine's kubelet starts its pods concurrently. Where thousands of
 * kubelets share one event loop and one pool of connections, ten thousand starting pods delay each
 * other, and also heartbeats, so that nodes count as dead.
 */
export class StartGate {
  readonly #clock: Clock;
  readonly #startsLate: StartGateDeps["startsLate"];
  readonly #tell: Tell;
  /** The pods that have begun to start, by UID. */
  readonly #starting = new Map<string, Start>();
  /** The number of starting pods that delay other pods. */
  #holding = 0;
  /** The average time of recent starts. */
  #tookMs = 0;
  /** Pods by UID, in the order of their arrival. */
  readonly #waiting = new Map<string, Waiting>();
  #limit = startsMax;
  #isLooking = false;

  /** @param tell shows a change to the kubelet of the pod's node. */
  constructor({ clock, startsLate }: StartGateDeps, tell: Tell) {
    this.#clock = clock;
    this.#startsLate = startsLate;
    this.#tell = tell;
  }

  /**
   * Shows the pods of a booting machine to its kubelet. None of their containers runs, regardless
   * of what the API shows.
   */
  boot(objects: readonly Pod[], tell: Tell): void {
    for (const object of objects) {
      const uid = object.metadata.uid ?? "";
      const earlier = this.#starting.get(uid);
      this.#starting.delete(uid);
      if (earlier !== undefined) this.#release(earlier);
      if (isPodTerminal(object) || this.#startsLate(object)) tell({ type: "added", object });
      else this.#waiting.set(uid, { object, tell });
    }
    this.#admit();
  }

  pass(change: InformerChange<Pod>): void {
    const { type, object } = change;
    const uid = object.metadata.uid ?? "";
    const waiting = this.#waiting.get(uid);
    if (waiting !== undefined) {
      if (type === "deleted") this.#waiting.delete(uid);
      else this.#waiting.set(uid, { ...waiting, object });
      return;
    }
    if (type === "added" && !hasStarted(object, []) && !this.#startsLate(object)) {
      this.#waiting.set(uid, { object, tell: this.#tell });
      this.#admit();
      return;
    }
    this.#tell(change);
    const start = this.#starting.get(uid);
    if (start === undefined) return;
    const isRunning = hasStarted(object, start.before);
    if (type === "deleted" || isRunning) this.#end(uid, start, isRunning);
  }

  #admit(): void {
    for (const [uid, { object, tell }] of this.#waiting) {
      if (this.#holding >= this.#limit) {
        this.#lookAgain();
        return;
      }
      this.#waiting.delete(uid);
      this.#begin(uid, containerIdsOf(object));
      tell({ type: "added", object });
    }
  }

  #begin(uid: string, before: readonly string[]): void {
    const patienceMs = Math.min(startPatienceMaxMs, Math.max(startPatienceMs, patienceFactor * this.#tookMs));
    const start: Start = {
      sinceMs: this.#clock.monotonicMs(),
      before,
      timer: this.#clock.after(patienceMs, () => {
        this.#release(start);
        this.#admit();
      }),
    };
    this.#starting.set(uid, start);
    this.#holding++;
  }

  #release(start: Start): void {
    if (start.timer === undefined) return;
    start.timer.cancel();
    start.timer = undefined;
    this.#holding--;
  }

  #end(uid: string, start: Start, isRunning: boolean): void {
    this.#starting.delete(uid);
    if (isRunning) this.#tookMs += tookWeight * (this.#clock.monotonicMs() - start.sinceMs - this.#tookMs);
    this.#release(start);
    this.#admit();
  }

  /** The limit depends on the delay of this process's timers, while pods wait. */
  #lookAgain(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const dueMs = this.#clock.monotonicMs() + lookEveryMs;
    this.#clock.after(lookEveryMs, () => {
      this.#isLooking = false;
      const isLate = this.#clock.monotonicMs() - dueMs > lateMs;
      const next = isLate ? this.#limit / 2 : this.#limit + startsStep;
      this.#limit = Math.floor(Math.min(startsMax, Math.max(startsMin, next)));
      this.#admit();
    });
  }
}

/** @param before the ids of the containers that ran before the pod's machine booted. */
function hasStarted(pod: Pod, before: readonly string[]): boolean {
  if ((pod.status?.phase ?? "Pending") === "Pending") return false;
  return (
    before.length === 0 || isPodTerminal(pod) || containerIdsOf(pod).every((id) => id !== "" && !before.includes(id))
  );
}

function containerIdsOf({ status }: Pod): string[] {
  return (status?.containerStatuses ?? []).map(({ containerID }) => containerID ?? "");
}
