import { formatTimestamp, type Node, type Pod, profiles } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { runningTimersOf } from "./running-timers.ts";

const startMs = 1_767_225_600_000;
const at = (seconds: number) => formatTimestamp(startMs + seconds * 1000);

describe("running timers", () => {
  const node = (name: string, status: "True" | "Unknown"): Node => ({
    metadata: { name },
    status: { conditions: [{ type: "Ready", status, lastTransitionTime: at(0) }] },
  });

  test("are the timers of late nodes and of waiting pods, ordered by their end", () => {
    const waiting: Pod = {
      metadata: { name: "web", namespace: "default", creationTimestamp: at(0) },
      spec: { containers: [{ name: "c" }], nodeName: "n1" },
      status: {
        phase: "Running",
        conditions: [{ type: "Ready", status: "False" }],
        containerStatuses: [
          {
            name: "c",
            image: "",
            imageID: "",
            ready: false,
            restartCount: 2,
            state: {
              waiting: {
                reason: "CrashLoopBackOff",
                message: "back-off 10s restarting failed container=c pod=web_default(u)",
              },
            },
            lastState: { terminated: { exitCode: 1, finishedAt: at(8), startedAt: at(7), reason: "Error" } },
          },
        ],
      },
    };
    const leases = [{ metadata: { name: "n1", namespace: "kube-node-lease" }, spec: { renewTime: at(6) } }];
    const runningTimers = runningTimersOf({
      objects: { nodes: [node("n1", "True")], pods: [waiting], leases },
      timers: profiles.fast,
      nowMs: startMs + 9_000,
    });
    expect(runningTimers.map(({ about, timer, atMs }) => [about.name, timer, atMs - startMs])).toEqual([
      ["n1", "node grace period", 10_000],
      ["web", "restart back-off", 18_000],
    ]);
    expect(runningTimers[0]?.next).toContain("counts as silent");
  });

  test("are absent in a healthy cluster", () => {
    const leases = [{ metadata: { name: "n1" }, spec: { renewTime: at(9) } }];
    const world = { objects: { nodes: [node("n1", "True")], pods: [], leases }, timers: profiles.fast };
    expect(runningTimersOf({ ...world, nowMs: startMs + 9_500 })).toEqual([]);
  });
});
