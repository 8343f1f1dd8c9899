import type { Clock } from "@kintsugi/clock";
import { RuntimeError, type RuntimeErrorReason } from "../../container-runtime.ts";
import type { CallName, RuntimeCall, RuntimeFaults } from "./faults.ts";

type Fault =
  | { kind: "delay"; delayMs: number }
  | { kind: "refuse" | "loseAnswer"; reason: RuntimeErrorReason; message: string }
  | { kind: "hang" };

interface Planned {
  name: CallName;
  fault: Fault;
  timesLeft: number;
}

/**
 * Faults planned call by call: `faults.hang("listContainers")`,
 * `faults.loseAnswer("createContainer", { times: 1 })`.
 */
export class ScriptedFaults implements RuntimeFaults {
  readonly #clock: Clock;
  #planned: Planned[] = [];
  readonly #held = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Each call reaches the runtime after `delayMs`, or at `clear`. */
  delay(name: CallName, delayMs: number, { times = Number.POSITIVE_INFINITY } = {}): void {
    this.#planned.push({ name, fault: { kind: "delay", delayMs }, timesLeft: times });
  }

  /** Each call fails, and has no effect. */
  refuse(
    name: CallName,
    { times = Number.POSITIVE_INFINITY, reason = "unavailable", message = "injected" } = {},
  ): void {
    const fault: Fault = { kind: "refuse", reason: reason as RuntimeErrorReason, message };
    this.#planned.push({ name, fault, timesLeft: times });
  }

  /** Each call does its work, but the caller receives an error. */
  loseAnswer(name: CallName, { times = Number.POSITIVE_INFINITY } = {}): void {
    const fault: Fault = { kind: "loseAnswer", reason: "unavailable", message: "the answer was lost" };
    this.#planned.push({ name, fault, timesLeft: times });
  }

  /** Calls hang and have no effect until `clear`. */
  hang(name: CallName, { times = Number.POSITIVE_INFINITY } = {}): void {
    this.#planned.push({ name, fault: { kind: "hang" }, timesLeft: times });
  }

  /** Ends the faults; calls that hang, or are delayed, continue. */
  clear(): void {
    this.#planned = [];
    for (const release of this.#held) release();
  }

  async before(call: RuntimeCall): Promise<void> {
    const fault = this.#take(call, ["delay", "refuse", "hang"]);
    if (fault?.kind === "delay") await this.#hold(fault.delayMs);
    if (fault?.kind === "refuse") throw new RuntimeError(fault.reason, fault.message);
    if (fault?.kind === "hang") await this.#hold();
  }

  after(call: RuntimeCall): void {
    const fault = this.#take(call, ["loseAnswer"]);
    if (fault?.kind === "loseAnswer") throw new RuntimeError(fault.reason, fault.message);
  }

  /** Delays a call until `clear`, or for `forMs`. */
  #hold(forMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const release = () => {
        timer?.cancel();
        this.#held.delete(release);
        resolve();
      };
      const timer = forMs === undefined ? undefined : this.#clock.after(forMs, release);
      this.#held.add(release);
    });
  }

  #take(call: RuntimeCall, kinds: readonly Fault["kind"][]): Fault | undefined {
    const planned = this.#planned.find(({ name, fault }) => name === call.name && kinds.includes(fault.kind));
    if (!planned) return undefined;
    planned.timesLeft--;
    if (planned.timesLeft <= 0) this.#planned = this.#planned.filter((other) => other !== planned);
    return planned.fault;
  }
}
