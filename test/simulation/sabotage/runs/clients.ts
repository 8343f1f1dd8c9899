import type { VirtualCluster } from "@kintsugi/simulator/factory";
import { aRun, every, second, web, type PlannedRun } from "./plot.ts";

/** The runs of the API's clients. */
export const clientRuns = {
  /**
   * The clients lose and regain their connections to the API, and its server crashes occasionally.
   */
  "clients write, list and watch": (seed) =>
    aRun("clients write, list and watch", seed, {
      nodes: 1,
      workloads: web(1),
      faults: every(8 * second, 3, () => ({ fault: "kill-service", target: "api-server", forMs: 300 })),
      world: { operationsPerSecond: 30, latencyMaxMs: 20 },
    }),

  /** There is little history to resume from, and the server restarts occasionally. */
  "clients resume late": (seed) =>
    aRun("clients resume late", seed, {
      nodes: 1,
      workloads: web(1),
      faults: every(5 * second, 4, () => ({ fault: "kill-service", target: "api-server", forMs: 300 })),
      world: { operationsPerSecond: 30, latencyMaxMs: 20, kept: { eventsMin: 20, durationMs: 2 * second } },
    }),

  /** The clients have replaced and deleted the records, several times. */
  "the log is compacted, and the api-server is killed": (seed) =>
    aRun("the log is compacted, and the api-server is killed", seed, {
      nodes: 1,
      workloads: web(1),
      faults: every(7 * second, 4, () => ({ fault: "kill-service", target: "api-server", forMs: 300 })),
      world: { operationsPerSecond: 30, latencyMaxMs: 20, kept: { eventsMin: 20, durationMs: 2 * second } },
    }),

  /** The API server's machine repeatedly loses power while clients write; its disk is slow. */
  "the api-server's machine loses power": (seed) =>
    aRun("the api-server's machine loses power", seed, {
      nodes: 1,
      workloads: web(1),
      faults: [],
      afterMs: 25 * second,
      world: { operationsPerSecond: 30, latencyMaxMs: 20 },
      deed: ({ clock, server }) => {
        for (let turn = 0; turn < 10; turn++) {
          clock.after(15 * second + turn * 2200, () => {
            if (turn === 0) server.disk?.slow({ minMs: 0, maxMs: 50 });
            if (turn % 2 === 0) server.cutPower("lost");
            else if (turn % 4 === 3) server.disk?.crashPoints.armAt("sync HEAD", () => server.cutPower("torn"));
            // A write takes nine steps; over the turns and seeds, the power fails at each of them.
            else server.disk?.crashPoints.arm(1 + ((seed + turn) % 9), () => server.cutPower("torn"));
          });
          clock.after(15 * second + turn * 2200 + 300, () => server.process.start());
        }
      },
    }),
  /** The remaining log is shorter than the answers; it has to be rejected, and is restored. */
  "the log loses its end in a power cut": (seed) =>
    aRun("the log loses its end in a power cut", seed, {
      nodes: 1,
      workloads: web(1),
      faults: [],
      afterMs: 25 * second,
      world: { operationsPerSecond: 30, latencyMaxMs: 20 },
      deed: (cluster) => {
        for (let turn = 0; turn < 5; turn++)
          cluster.clock.after(16.1 * second + turn * 4 * second, () => loseEnd(cluster));
      },
    }),
} as const satisfies Record<string, (seed: number) => PlannedRun>;

/** Duration of the damage. */
const damageMs = 100;

function loseEnd({ clock, server, deaths }: VirtualCluster): void {
  const { disk } = server;
  if (!disk) return;
  server.cutPower("lost");
  const image = disk.image();
  const { records } = disk.disk;
  for (const key of [...records.keys()].toSorted().slice(-2)) records.delete(key);
  disk.expectRefusal();
  server.process.start();
  clock.after(damageMs, () => {
    server.process.kill();
    disk.restore(image);
    // The rejection was correct.
    deaths.splice(0);
    server.process.start();
  });
}
