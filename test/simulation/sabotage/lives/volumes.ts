import type { ScenarioWorkload } from "@kintsugi/simulation";
import { aLife, eachNode, type PlannedLife, second } from "./plot.ts";

const disks: readonly ScenarioWorkload[] = [
  { name: "db", kind: "StatefulSet", replicas: 3, parallel: true, claims: true },
];

/** The lives of pods with disks. */
export const volumeLives = {
  /** Each kubelet that returns finds the old container, which ends slowly, and its successor. */
  "pods with disks are forced from nodes whose kubelets are down": (seed) =>
    aLife("pods with disks are forced from nodes whose kubelets are down", seed, {
      workloads: disks,
      faults: [
        ...eachNode({ fault: "runtime-call-slow", with: { call: "stopContainer", times: 1 }, forMs: 40 * second }),
        ...eachNode({ fault: "force-delete-while-kubelet-down", forMs: 8 * second }),
      ],
      afterMs: 20 * second,
    }),

  "pods with disks lose a node that is vouched for": (seed) =>
    aLife("pods with disks lose a node that is vouched for", seed, {
      mode: "liveness",
      workloads: disks,
      faults: [{ fault: "fence-node", target: "node-2", atMs: 5 * second, stays: true }],
    }),

  "pods with disks leave a node that works": (seed) =>
    aLife("pods with disks leave a node that works", seed, {
      mode: "liveness",
      workloads: disks,
      faults: [
        { fault: "taint-node", target: "node-2", with: { effect: "NoExecute" }, atMs: 5 * second, forMs: 60 * second },
      ],
    }),

  "claims grow while a service dies": (seed) =>
    aLife("claims grow while a service dies", seed, {
      mode: "liveness",
      workloads: disks,
      faults: [
        { fault: "grow-claim", atMs: 10 * second },
        { fault: "grow-claim", atMs: 20 * second },
        { fault: "kill-service", target: "api-server", atMs: 21 * second, forMs: 5 * second },
        { fault: "grow-claim", atMs: 40 * second },
      ],
      afterMs: 60 * second,
    }),

  /** Each kubelet that returns has no record of the container that still runs. */
  "pods with disks are forced from kubelets that lose their records": (seed) =>
    aLife("pods with disks are forced from kubelets that lose their records", seed, {
      workloads: disks,
      faults: [
        ...eachNode({ fault: "runtime-call-slow", with: { call: "stopContainer", times: 1 }, forMs: 40 * second }),
        ...eachNode({ fault: "kubelet-state-lost", forMs: 8 * second }),
        ...eachNode({ fault: "force-delete-while-kubelet-down", forMs: 8 * second }),
      ],
      afterMs: 20 * second,
    }),

  /** It dies between the making of a disk and the record of it. */
  "the service that makes disks dies before it records one": (seed) =>
    aLife("the service that makes disks dies before it records one", seed, {
      workloads: disks,
      faults: [],
      deed: (cluster) => {
        let left = 1;
        cluster.onRequestOf["csi-controller"] = ({ method, path }) => {
          if (method !== "POST" || !path.endsWith("/persistentvolumes") || left-- !== 1) return;
          cluster.storage?.process.kill();
          cluster.clock.after(second, () => cluster.storage?.process.start());
        };
      },
      afterMs: 180 * second,
    }),
} as const satisfies Record<string, (seed: number) => PlannedLife>;
