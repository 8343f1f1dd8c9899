import { isPodTerminal, type Pod } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import type { Clock, Timer } from "@kintsugi/clock";

/**
 * Pods that start at the same time: while the timers of this process are in time; while they are
 * late.
 */
export const startsMax = 200;
const startsMin = 10;
/** Starts that are allowed more, or of half of them less, at each look. */
const startsStep = 10;
const lookEveryMs = 50;
/** A process whose timers are this late does not keep up: heartbeats wait as long as they do. */
const lateMs = 200;
/**
 * A pod that takes so many times as long as others do, and no shorter than the least of these, has
 * a reason of its own not to start, and holds no other back. Where the API server is slow all pods
 * are: if the next ones began then, the calls of all would wait for one another until none is
 * answered in time.
 */
const patienceFactor = 4;
export const startPatienceMs = 5_000;
const startPatienceMaxMs = 60_000;
/** The weight of each start in the time that starts take lately. */
const tookWeight = 0.05;

type Tell = (change: InformerChange<Pod>) => void;

/** A pod that its kubelet does not know yet. */
interface Waiting {
  /** Its newest state. */
  readonly object: Pod;
  readonly tell: Tell;
}

interface Start {
  readonly sinceMs: number;
  /** The ids of the containers that it had on this machine before the machine booted. */
  readonly before: readonly string[];
  /** Ends the patience with it; undefined once it has ended. */
  timer: Timer | undefined;
}

export interface StartGateDeps {
  readonly clock: Clock;
  /** Reports whether a pod does nothing for a while before it starts: it holds no other back. */
  readonly startsLate: (pod: Pod) => boolean;
}

/**
 * Shows pods to their kubelets as they are bound or their machines boot, but so many at most that
 * have not started. A machine's kubelet starts what it gets side by side. Where thousands of
 * kubelets share one event loop and one pool of connections, ten thousand pods that have all begun
 * keep one another from getting on; and heartbeats, so that nodes are taken for dead.
 */
export class StartGate {
  readonly #clock: Clock;
  readonly #startsLate: StartGateDeps["startsLate"];
  readonly #tell: Tell;
  /** The pods that have begun to start, by UID. */
  readonly #starting = new Map<string, Start>();
  /** The number of starting pods that hold others back. */
  #holding = 0;
  /** The time that starts take lately. */
  #tookMs = 0;
  /** Pods by UID, in the order in which they came. */
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
   * Shows the pods of a machine that boots to its kubelet: none of their containers runs any more,
   * whatever the API says of them.
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

  /** The limit follows how late this process is, as long as pods wait. */
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

/** @param before the ids of the containers that ran before its machine booted. */
function hasStarted(pod: Pod, before: readonly string[]): boolean {
  if ((pod.status?.phase ?? "Pending") === "Pending") return false;
  return (
    before.length === 0 || isPodTerminal(pod) || containerIdsOf(pod).every((id) => id !== "" && !before.includes(id))
  );
}

function containerIdsOf({ status }: Pod): string[] {
  return (status?.containerStatuses ?? []).map(({ containerID }) => containerID ?? "");
}
