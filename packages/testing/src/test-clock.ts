import { parseDurationMs } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import type { AdvanceReport, ConditionJudgement, ServedCluster } from "@kintsugi/test-server/factory";

/** A duration as in Go, such as "10m", or milliseconds. */
export type TimeSpan = string | number;

/** The clock of a test's cluster. */
export interface TestClock {
  /** The time of the cluster, in milliseconds since 1970. */
  nowMs(): number;
  /**
   * Moves the clock through all timers that are due. All work that it starts has ended when the
   * promise resolves.
   * @param giveClients the real time to wait for further client requests after each step that sent
   * changes to clients, so that an operator in another process, or over HTTPS, reacts at each step.
   */
  advance(duration: TimeSpan, options?: { giveClients?: TimeSpan }): Promise<AdvanceReport>;
  /**
   * Moves the clock until the condition holds.
   * @throws Error when it does not hold within `atMost` of the cluster's time.
   */
  advanceUntil(
    condition: () => Promise<boolean> | boolean,
    options: { atMost: TimeSpan; giveClients?: TimeSpan },
  ): Promise<AdvanceReport>;
  /** Stops the clock, its initial state. */
  freeze(): void;
  /** Advances the cluster's clock by this many seconds in each real second. */
  run(pace: number): void;
}

/** The clock of a cluster, whose methods reject if it runs on real time. */
export function testClock(cluster: Pick<ServedCluster, "steering">): TestClock {
  const steered = () => {
    if (cluster.steering !== undefined) return cluster.steering;
    throw new TypeError('this cluster runs on real time: startCluster({ clock: "steered" }) has a clock to move');
  };
  return {
    nowMs: () => (cluster.steering?.status() ?? { nowMs: systemClock.nowMs() }).nowMs,
    advance: async (duration, { giveClients = 0 } = {}) =>
      steered().advance({ durationMs: msOf(duration), giveClientsMs: msOf(giveClients) }),
    advanceUntil: async (holds, { atMost, giveClients = 0 }) => {
      const condition = async (): Promise<ConditionJudgement> =>
        (await holds()) ? { holds: true } : { holds: false, why: "the condition is false" };
      const request = { durationMs: msOf(atMost), giveClientsMs: msOf(giveClients), condition };
      const report = await steered().advance(request);
      if (!report.reached) throw new Error(report.message);
      return report;
    },
    freeze: () => steered().setPace(0),
    run: (pace) => steered().setPace(pace),
  };
}

/** Returns the milliseconds of a time span. @throws Error when its text cannot be parsed. */
export function msOf(duration: TimeSpan): number {
  return typeof duration === "number" ? duration : parseDurationMs(duration);
}
