import type { UnsyncedFate } from "@kintsugi/store/simulated";
import { armed, type Fault, pick, setting, alreadyOver, type Undo, word, type World } from "../fault.ts";
import type { PlannedFault } from "../../scenario/scenario.ts";
import { killNow } from "../targets.ts";

/**
 * Faults of the disk under the api-server's store, and of the api-server while it uses the disk.
 */
export const diskFaults: readonly Fault[] = [
  {
    name: "kill-in-write",
    catalogue: ["F1", "F21"],
    sentence:
      "The api-server is killed `step` steps of its store from now: around an append, a sync, a publication, a response, or in a compaction.",
    target: "none",
    lasts: true,
    draw: (random) => ({ step: 1 + random.integer(stepsMax) }),
    inject: (world, planned) => atStep(world, planned, () => killNow(world, world.cluster.server.process)),
  },
  {
    name: "power-cut",
    catalogue: ["F6"],
    sentence:
      "The api-server's machine loses power `step` steps of its store from now. Unsynced data is lost, kept or torn, according to `unsynced`.",
    target: "none",
    lasts: true,
    draw: (random) => ({ step: 1 + random.integer(stepsMax), unsynced: pick(random, fates) ?? "lost" }),
    inject: (world, planned) => {
      const fate = fates.find((each) => each === word(planned, "unsynced", "lost"));
      return fate && atStep(world, planned, () => cutPowerNow(world, fate));
    },
  },
  {
    name: "disk-full",
    catalogue: ["F7"],
    sentence: "The api-server's disk has only `freeKib` of free space.",
    target: "none",
    lasts: true,
    draw: (random) => ({ freeKib: pick(random, [0, 4, 64, 900]) ?? 0 }),
    inject: ({ cluster }, planned) => cluster.server.disk?.fill(setting(planned, "freeKib", 0) * 1024),
  },
  {
    name: "sync-fails",
    catalogue: ["F8"],
    sentence: "The next sync of the api-server's disk fails, once.",
    target: "none",
    lasts: false,
    inject: ({ cluster: { server } }) => {
      if (!server.disk || !server.process.isRunning) return undefined;
      server.disk.failNextSync(new Error("EIO: i/o error"));
      return alreadyOver;
    },
  },
  {
    name: "slow-disk",
    catalogue: ["F9"],
    sentence: "Each sync of the api-server's disk takes between `minMs` and `maxMs`.",
    target: "none",
    lasts: true,
    draw: (random) => {
      const maxMs = pick(random, [50, 500, 2000, 30_000]) ?? 50;
      return { minMs: Math.floor(maxMs / 30), maxMs };
    },
    inject: ({ cluster: { server } }, planned) =>
      server.disk?.slow({ minMs: setting(planned, "minMs", 1000), maxMs: setting(planned, "maxMs", 30_000) }),
  },
];

/** A write has nine points, so the fault happens within the next few writes. */
const stepsMax = 60;
const fates: readonly UnsyncedFate[] = ["lost", "kept", "torn"];

/** Waits for the planned step of the store. */
function atStep(world: World, planned: PlannedFault, strike: () => void): Undo | undefined {
  const disarm = world.cluster.server.disk?.crashPoints.arm(setting(planned, "step", 1), () => {
    world.reached(planned);
    strike();
  });
  return disarm && armed(disarm);
}

function cutPowerNow(world: World, fate: UnsyncedFate): void {
  const { server } = world.cluster;
  server.cutPower(fate);
  killNow(world, server.process);
}
