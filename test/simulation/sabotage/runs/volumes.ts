import type { ScenarioWorkload } from "@kintsugi/simulation";
import { aRun, eachNode, type PlannedRun, second } from "./plot.ts";

const disks: readonly ScenarioWorkload[] = [
  { name: "db", kind: "StatefulSet", replicas: 3, parallel: true, claims: true },
];

/** The service of the disks dies when it writes to such a path, and restarts after a while. */
function diesAt(path: RegExp, { times, awayMs }: { times: number; awayMs: number }): NonNullable<PlannedRun["deed"]> {
  return (cluster) => {
    let left = times;
    cluster.onRequestOf["csi-controller"] = (request) => {
      if (request.method !== "PUT" || !path.test(request.path) || left <= 0) return;
      left--;
      cluster.storage?.process.kill();
      cluster.clock.after(awayMs, () => cluster.storage?.process.start());
    };
  };
}

/** The runs of pods with disks. */
export const volumeRuns = {
  /** Each kubelet that returns finds the old container, which ends slowly, and its successor. */
  "pods with disks are force-deleted while their kubelets are down": (seed) =>
    aRun("pods with disks are force-deleted while their kubelets are down", seed, {
      workloads: disks,
      faults: [
        ...eachNode({ fault: "runtime-call-slow", with: { call: "stopContainer", times: 1 }, forMs: 40 * second }),
        ...eachNode({ fault: "force-delete-while-kubelet-down", forMs: 8 * second }),
      ],
      afterMs: 20 * second,
    }),

  "pods with disks lose a node that a user declares off": (seed) =>
    aRun("pods with disks lose a node that a user declares off", seed, {
      mode: "liveness",
      workloads: disks,
      faults: [{ fault: "fence-node", target: "node-2", atMs: 5 * second, stays: true }],
    }),

  "pods with disks are moved off a healthy node": (seed) =>
    aRun("pods with disks are moved off a healthy node", seed, {
      mode: "liveness",
      workloads: disks,
      faults: [
        { fault: "taint-node", target: "node-2", with: { effect: "NoExecute" }, atMs: 5 * second, forMs: 60 * second },
      ],
    }),

  "claims grow while a service is killed": (seed) =>
    aRun("claims grow while a service is killed", seed, {
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

  /** Each kubelet that returns has no record of the container that is still running. */
  "pods with disks are force-deleted while their kubelets lose their records": (seed) =>
    aRun("pods with disks are force-deleted while their kubelets lose their records", seed, {
      workloads: disks,
      faults: [
        ...eachNode({ fault: "runtime-call-slow", with: { call: "stopContainer", times: 1 }, forMs: 40 * second }),
        ...eachNode({ fault: "kubelet-state-lost", forMs: 8 * second }),
        ...eachNode({ fault: "force-delete-while-kubelet-down", forMs: 8 * second }),
      ],
      afterMs: 20 * second,
    }),

  /** The service dies between the creation of a disk and its record. */
  "the service that creates disks is killed before it records a disk": (seed) =>
    aRun("the service that creates disks is killed before it records a disk", seed, {
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
  /**
   * The service dies when the driver has taken a snapshot that the service has not recorded yet. In
   * the meantime, users delete snapshots.
   */
  "snapshots are taken and deleted while their service is killed": (seed) =>
    aRun("snapshots are taken and deleted while their service is killed", seed, {
      mode: "liveness",
      workloads: disks,
      faults: [
        { fault: "take-snapshot", atMs: 5 * second },
        { fault: "take-snapshot", atMs: 15 * second },
        { fault: "take-snapshot", atMs: 25 * second },
        { fault: "take-snapshot", atMs: 35 * second },
        { fault: "delete-snapshot", atMs: 55 * second },
        { fault: "delete-snapshot", atMs: 60 * second },
        { fault: "delete-snapshot", atMs: 65 * second },
        { fault: "delete-snapshot", atMs: 70 * second },
        { fault: "take-snapshot", atMs: 80 * second },
      ],
      deed: diesAt(/\/volumesnapshotcontents\/[^/]+\/status$/, { times: 5, awayMs: second }),
      afterMs: 60 * second,
    }),

  "a snapshot is deleted while its service is down": (seed) =>
    aRun("a snapshot is deleted while its service is down", seed, {
      mode: "liveness",
      workloads: disks,
      faults: [
        { fault: "take-snapshot", atMs: 5 * second },
        { fault: "delete-snapshot", atMs: 15 * second },
      ],
      deed: diesAt(/\/volumesnapshotcontents\/[^/]+\/status$/, { times: 1, awayMs: 20 * second }),
      afterMs: 200 * second,
    }),

  "claims change their class while their service is killed": (seed) =>
    aRun("claims change their class while their service is killed", seed, {
      mode: "liveness",
      workloads: [{ name: "db", kind: "StatefulSet", replicas: 1, claims: true }],
      faults: [
        { fault: "change-attributes-class", atMs: 5 * second },
        { fault: "change-attributes-class", atMs: 25 * second },
        { fault: "change-attributes-class", atMs: 27 * second },
        { fault: "kill-service", target: "api-server", atMs: 40 * second, forMs: 5 * second },
        { fault: "change-attributes-class", atMs: 50 * second },
      ],
      deed: diesAt(/\/persistentvolumes\/[^/]+$/, { times: 3, awayMs: 8 * second }),
      afterMs: 60 * second,
    }),
} as const satisfies Record<string, (seed: number) => PlannedRun>;
