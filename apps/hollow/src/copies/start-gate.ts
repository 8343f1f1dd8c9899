import type { Pod } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import type { Clock, Timer } from "@kintsugi/clock";

/** Pods that start at once: while the timers of this process are in time; while they are late. */
export const startsMax = 200;
const startsMin = 10;
/** Starts that are allowed more, or of half of them less, at each look. */
const startsStep = 10;
const lookEveryMs = 50;
/** A process whose timers are this late does not keep up: heartbeats wait as long as they do. */
const lateMs = 200;
/** A pod that has not started by then, for a reason of its own, does not hold others back. */
export const startPatienceMs = 5_000;

type Tell = (change: InformerChange<Pod>) => void;

export interface StartGateDeps {
  readonly clock: Clock;
  /** Reports whether a pod does nothing for a while before it starts: it holds no other back. */
  readonly startsLate: (pod: Pod) => boolean;
}

/**
 * Shows pods to their kubelets as they are bound, but so many at most that have not started. A
 * machine's kubelet starts what it gets side by side. Where thousands of kubelets share one event
 * loop and one pool of connections, ten thousand pods that have all begun keep one another from
 * getting on; and heartbeats, so that nodes are taken for dead.
 */
export class StartGate {
  readonly #clock: Clock;
  readonly #startsLate: StartGateDeps["startsLate"];
  readonly #tell: Tell;
  /** The pods that have begun to start, by UID. */
  readonly #starting = new Map<string, Timer>();
  /** The newest state of each pod that no kubelet knows yet, in the order in which they came. */
  readonly #waiting = new Map<string, Pod>();
  #limit = startsMax;
  #isLooking = false;

  /** @param tell shows a change to the kubelet of the pod's node. */
  constructor({ clock, startsLate }: StartGateDeps, tell: Tell) {
    this.#clock = clock;
    this.#startsLate = startsLate;
    this.#tell = tell;
  }

  pass(change: InformerChange<Pod>): void {
    const { type, object } = change;
    const uid = object.metadata.uid ?? "";
    if (this.#waiting.has(uid)) {
      if (type === "deleted") this.#waiting.delete(uid);
      else this.#waiting.set(uid, object);
      return;
    }
    if (type === "added" && !hasStarted(object) && !this.#startsLate(object)) {
      this.#waiting.set(uid, object);
      this.#admit();
      return;
    }
    this.#tell(change);
    if (type === "deleted" || hasStarted(object)) this.#end(uid);
  }

  #admit(): void {
    for (const [uid, object] of this.#waiting) {
      if (this.#starting.size >= this.#limit) {
        this.#lookAgain();
        return;
      }
      this.#waiting.delete(uid);
      const timer = this.#clock.after(startPatienceMs, () => this.#end(uid));
      this.#starting.set(uid, timer);
      this.#tell({ type: "added", object });
    }
  }

  #end(uid: string): void {
    const timer = this.#starting.get(uid);
    if (timer === undefined) return;
    timer.cancel();
    this.#starting.delete(uid);
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

function hasStarted({ status }: Pod): boolean {
  return (status?.phase ?? "Pending") !== "Pending";
}
