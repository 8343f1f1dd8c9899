import type { ScenarioWorkload } from "@kintsugi/simulation";
import { aRun, eachNode, type PlannedRun, second } from "./plot.ts";

const users: readonly ScenarioWorkload[] = [{ name: "users", kind: "Deployment", replicas: 4, devices: true }];

/** The runs of pods with devices. */
export const deviceClaimRuns = {
  "pods with devices lose their controller between its writes": (seed) =>
    aRun("pods with devices lose their controller between its writes", seed, {
      mode: "liveness",
      workloads: users,
      faults: [
        { fault: "kill-service", target: "controller-manager", atMs: 5 * second, forMs: 3 * second },
        { fault: "delete-pod", atMs: 4 * second },
        { fault: "delete-pod", atMs: 12 * second },
        { fault: "delete-pod", atMs: 20 * second },
      ],
      afterMs: 180 * second,
    }),

  /** Three nodes have six devices, two of which break. */
  "devices of pods fail while their controller is killed": (seed) =>
    aRun("devices of pods fail while their controller is killed", seed, {
      mode: "liveness",
      workloads: users,
      faults: [
        { fault: "kill-service", target: "controller-manager", atMs: 9 * second, forMs: 3 * second },
        { fault: "break-device", atMs: 10 * second },
        { fault: "break-device", atMs: 40 * second },
      ],
      afterMs: 180 * second,
    }),

  /** Each kubelet that returns finds the old container, which ends slowly, and its successor. */
  "pods with devices are forced from nodes whose kubelets are down": (seed) =>
    aRun("pods with devices are forced from nodes whose kubelets are down", seed, {
      workloads: users,
      faults: [
        ...eachNode({ fault: "runtime-call-slow", with: { call: "stopContainer", times: 1 }, forMs: 40 * second }),
        ...eachNode({ fault: "force-delete-while-kubelet-down", forMs: 8 * second }),
      ],
      afterMs: 20 * second,
    }),
} as const satisfies Readonly<Record<string, (seed: number) => PlannedRun>>;
