import type { Clock, Random } from "@kintsugi/clock";
import { pick } from "@kintsugi/simulation";
import type { SharedMemoryLog } from "@kintsugi/store/simulated";
import type { VirtualServer } from "../cluster/virtual-server.ts";
import type { ReplicaStorage } from "../cluster/replica-storage.ts";

/** A server with its connection to the log. */
export interface SharingServer {
  readonly server: VirtualServer;
  readonly storage: ReplicaStorage;
}

interface World {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: SharedMemoryLog;
  readonly servers: readonly SharingServer[];
}

/** Begins a fault; returns a function that ends it. */
type ServerFault = (world: World, at: SharingServer) => () => void;

const faults: readonly ServerFault[] = [
  (_, { server }) => {
    server.process.kill();
    return () => server.process.start();
  },
  (_, { server }) => server.process.pause() ?? (() => {}),
  (_, { storage }) => {
    storage.cut();
    return () => storage.heal();
  },
  ({ log, random }) => {
    log.loseLeader(leaderlessMinMs + random.integer(leaderlessMaxMs - leaderlessMinMs));
    return () => {};
  },
  // The log loses responses and appends, and commits are delayed.
  ({ log }) => whileFaulty(log, { lostAnswers: 0.3 }),
  ({ log }) => whileFaulty(log, { lostAppends: 0.3 }),
  ({ log }) => whileFaulty(log, { followDelayMaxMs: 2_500 }),
];

/**
 * Elections of etcd take 1 to 2 s; longer elections test the responses that clients receive during
 * an election.
 */
const leaderlessMinMs = 500;
const leaderlessMaxMs = 5_000;
/** Average time between two faults, and longest duration of a fault: several overlap. */
const everyMs = 4_000;
const lastsMaxMs = 15_000;

/** Applies one fault after the other to servers and their log, until the signal aborts. */
export function runServerFaults(world: World, signal: AbortSignal): void {
  const { clock, random, servers } = world;
  clock.after(random.integer(2 * everyMs), () => {
    const at = pick(random, servers);
    const fault = pick(random, faults);
    if (signal.aborted || at === undefined || fault === undefined) return;
    const end = fault(world, at);
    clock.after(random.integer(lastsMaxMs), end);
    runServerFaults(world, signal);
  });
}

/** Ends every fault that may still be active. */
export function endServerFaults({ log, servers }: Pick<World, "log" | "servers">): void {
  log.faults = { lostAnswers: 0, lostAppends: 0, followDelayMaxMs: 0 };
  for (const { server, storage } of servers) {
    storage.heal();
    server.process.start();
  }
}

function whileFaulty(log: SharedMemoryLog, fault: Partial<SharedMemoryLog["faults"]>): () => void {
  log.faults = { ...log.faults, ...fault };
  const healthy = Object.fromEntries(Object.keys(fault).map((name) => [name, 0]));
  return () => (log.faults = { ...log.faults, ...healthy });
}
