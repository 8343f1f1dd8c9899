import { type Fault, pick, setting } from "../fault.ts";
import { processOf } from "../targets.ts";

const hourMs = 3_600_000;

/** Faults of a machine's clock. */
export const clockFaults: readonly Fault[] = [
  {
    name: "clock-jump",
    catalogue: ["F11"],
    sentence: "The wall clock of a service or a node is wrong by `byMs`.",
    target: "process",
    lasts: true,
    draw: (random) => ({ byMs: pick(random, [hourMs, -hourMs, 24 * hourMs, -24 * hourMs]) ?? hourMs }),
    inject: (world, planned) => {
      const clock = processOf(world, planned)?.process.machineClock;
      const byMs = setting(planned, "byMs", hourMs);
      clock?.jumpWallTime(byMs);
      return clock && (() => clock.jumpWallTime(-byMs));
    },
  },
  {
    name: "all-clocks-jump",
    catalogue: ["F11"],
    sentence: "The wall clocks of all machines are wrong by `byMs`.",
    target: "none",
    lasts: true,
    draw: (random) => ({ byMs: pick(random, [hourMs, -hourMs, 24 * hourMs, -24 * hourMs]) ?? hourMs }),
    inject: ({ cluster }, planned) => {
      const byMs = setting(planned, "byMs", hourMs);
      const services = [cluster.server.process, cluster.scheduler, cluster.controllerManager];
      const clocks = [...services, ...cluster.nodes.map(({ kubelet }) => kubelet)].map(
        (process) => process.machineClock,
      );
      for (const clock of clocks) clock.jumpWallTime(byMs);
      return () => {
        for (const clock of clocks) clock.jumpWallTime(-byMs);
      };
    },
  },
  {
    name: "clock-drift",
    catalogue: ["F11"],
    sentence: "The clock of a service or a node runs fast or slow: one second of this clock takes 1/`rate` seconds.",
    target: "process",
    lasts: true,
    draw: (random) => ({ rate: pick(random, [0.8, 0.95, 1.05, 1.25]) ?? 1.05 }),
    inject: (world, planned) => {
      const clock = processOf(world, planned)?.process.machineClock;
      return (
        clock &&
        world.holds.hold(clock, {
          down: () => clock.setRate(setting(planned, "rate", 1.05)),
          up: () => clock.setRate(1),
        })
      );
    },
  },
];
