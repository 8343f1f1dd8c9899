import type { PlannedFault, ScenarioWorkload } from "@kintsugi/simulation";
import { expect, test } from "vitest";
import { aRunOf, runPlan } from "../simulation/enumerated-plans.ts";

// Kills each controller of the other kinds after each of its writes. In every plan, as many objects
// are created and removed as without the fault, and the end is the same. The controllers' own tests
// kill them before each write as well, on an API without a cluster.

const second = 1000;
/** More than any of these runs needs: a controller that writes more often is in a loop. */
const stepsMax = 60;

interface Plan {
  controller: string;
  workload: ScenarioWorkload;
  changes: readonly PlannedFault[];
  /** The first counted write is after this time. */
  fromMs: number;
  durationMs: number;
  /** The pods that are made without faults. */
  pods: number;
  writesMin: number;
  rebalance?: true;
}

const web = { name: "web", replicas: 3 };
const at = (atMs: number, fault: string, settings: PlannedFault["with"] = {}): PlannedFault => ({
  fault,
  atMs,
  target: "web",
  with: settings,
});

test.each<Plan>([
  {
    controller: "replication",
    workload: { ...web, kind: "ReplicationController" },
    changes: [at(second, "scale", { replicas: 5 }), at(7 * second, "scale", { replicas: 2 })],
    fromMs: 0,
    durationMs: 30 * second,
    pods: 5,
    writesMin: 8,
  },
  {
    controller: "daemon-set",
    workload: { ...web, kind: "DaemonSet" },
    changes: [at(second, "roll-out")],
    fromMs: 0,
    durationMs: 30 * second,
    pods: 4,
    writesMin: 8,
  },
  {
    controller: "cron-job",
    workload: { ...web, kind: "CronJob", replicas: 1, script: "sleep 3; exit 0" },
    changes: [],
    // A Job is due 47 s after the plan has begun.
    fromMs: 40 * second,
    durationMs: 65 * second,
    pods: 1,
    writesMin: 5,
  },
  {
    controller: "horizontal-pod-autoscaler",
    workload: { ...web, replicas: 2, autoscale: { min: 2, max: 4, cpu: "100m", load: "200m" } },
    changes: [{ ...at(2 * second, "load", { millicores: 200 }), forMs: 100 * second }],
    fromMs: 0,
    durationMs: 45 * second,
    pods: 4,
    writesMin: 6,
  },
  {
    controller: "rebalance",
    // An even number, so that each node has the same number for every choice of the random source.
    workload: { ...web, replicas: 2, minAvailable: 1 },
    // One pod is replaced on the other node, and one moves back.
    changes: [{ fault: "kill-node", target: "node-1", atMs: second, forMs: 15 * second }],
    fromMs: 20 * second,
    durationMs: 100 * second,
    pods: 4,
    writesMin: 5,
    rebalance: true,
  },
])(
  "killed after each of its writes, the controller $controller leaves no trace",
  {
    timeout: 120_000,
  },
  async ({ workload, changes, fromMs, durationMs, pods, writesMin, rebalance }) => {
    const runWith = (faults: readonly PlannedFault[]) =>
      runPlan(aRunOf(workload, { faults: [...faults, ...changes], durationMs, ...(rebalance ? { rebalance } : {}) }));
    const { result, outcome } = await runWith([]);
    expect(result.failure).toBeUndefined();
    expect(outcome.created["core/pods"]).toBe(pods);
    let writes = 0;
    for (let write = 1; write <= stepsMax; write++) {
      const fault = { ...at(fromMs, "kill-at-write", { write, moment: "after" }), target: "controller-manager" };
      const killed = await runWith([fault]);
      const seen = { write, failure: killed.result.failure, outcome: killed.outcome };
      expect(seen).toEqual({ write, failure: undefined, outcome });
      if ((killed.result.faults["kill-at-write"]?.reached ?? 0) === 0) break;
      writes = write;
    }
    expect(writes).toBeGreaterThanOrEqual(writesMin);
    expect(writes).toBeLessThan(stepsMax);
  },
);
