import { deviceClasses, type Pod, pods, type ResourceClaim, resourceClaims, resourceSlices } from "@kintsugi/api";
import type { VirtualCluster } from "@kintsugi/simulator/factory";
import { aRun, every, second, web, type PlannedRun } from "./plot.ts";

const driver = "gpu.example.com";
const devicesPerNode = 2;
const nodeNames = ["node-1", "node-2", "node-3"];
/** Half of the pods can get a device at a time. */
const podCount = 2 * devicesPerNode * nodeNames.length;
/** Interval at which a pod is deleted and created again. */
const turnMs = 400;
const turns = 60;

/** The runs of pods that claim devices. */
export const deviceRuns = {
  /** There are too few devices, and several pods want each released device at the same time. */
  "pods claim devices": (seed) =>
    aRun("pods claim devices", seed, {
      workloads: web(1),
      faults: every(7 * second, 3, () => ({ fault: "kill-service", target: "scheduler", forMs: 500 })),
      deed: claimDevices,
      afterMs: 10 * second,
      world: { leaderElection: false },
    }),
} as const satisfies Record<string, (seed: number) => PlannedRun>;

/**
 * A driver that publishes devices, a user whose pods are created and deleted, and, instead of a
 * controller, the end of each claim's allocation when its pod no longer exists.
 */
function claimDevices(cluster: VirtualCluster): void {
  const { client, clock } = cluster;
  const steps: (() => Promise<unknown>)[] = [
    () => client.create(deviceClasses, { metadata: { name: "gpu" }, spec: {} }),
    ...nodeNames.map((nodeName) => () => client.create(resourceSlices, aSlice(nodeName))),
    ...Array.from({ length: podCount }, (_, index) => () => client.create(resourceClaims, aClaim(index))),
  ];
  clock.after(second, () => {
    void Promise.all(steps.map(async (step) => step())).catch(() => {});
    for (let index = 0; index < podCount; index++) void client.create(pods, aPod(index)).catch(() => {});
  });
  for (let turn = 0; turn < turns; turn++) {
    const index = (turn * 5) % podCount;
    clock.after(4 * second + turn * turnMs, () => void replace(cluster, index).catch(() => {}));
  }
}

async function replace({ client }: VirtualCluster, index: number): Promise<void> {
  const key = { namespace: "default", name: `gpu-${index}` };
  await client.delete(pods, key, { gracePeriodSeconds: 0 }).catch(() => {});
  const claim = await client.get(resourceClaims, key);
  // Only an allocation that its pod no longer uses is released.
  if (claim.status?.allocation !== undefined) {
    await client.update(resourceClaims, { ...claim, status: {} }, { subresource: "status" });
  }
  await client.create(pods, aPod(index));
}

function aSlice(nodeName: string) {
  return {
    metadata: { name: nodeName },
    spec: {
      driver,
      nodeName,
      pool: { name: nodeName, generation: 1, resourceSliceCount: 1 },
      devices: Array.from({ length: devicesPerNode }, (_, index) => ({ name: `gpu-${index}` })),
    },
  };
}

function aClaim(index: number): ResourceClaim {
  const exactly = { deviceClassName: "gpu", allocationMode: "ExactCount", count: 1 };
  return {
    metadata: { namespace: "default", name: `gpu-${index}` },
    spec: { devices: { requests: [{ name: "gpu", exactly }] } },
  };
}

function aPod(index: number): Pod {
  const name = `gpu-${index}`;
  return {
    metadata: { namespace: "default", name },
    spec: {
      containers: [{ name: "main", image: "app", resources: { claims: [{ name: "gpu" }] } }],
      resourceClaims: [{ name: "gpu", resourceClaimName: name }],
      terminationGracePeriodSeconds: 0,
    },
  };
}
