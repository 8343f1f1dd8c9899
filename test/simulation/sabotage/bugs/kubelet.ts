import type { PlantedBug } from "../planted-bug.ts";

const kubelet = "apps/kubelet/src";

/** Of the kubelet. */
export const kubeletBugs: readonly PlantedBug[] = [
  {
    name: "a pod that gets a new sandbox begins to count its restarts anew",
    file: `${kubelet}/pod-sync/plan-pod.ts`,
    find: "...containers.map((each) => planStart(input, each)),\n  ];\n}\n\n/** What still",
    replace: "...containers.map((each) => ({ ...planStart(input, each), attempt: 0 })),\n  ];\n}\n\n/** What still",
    caughtBy: "S20",
    life: "containers and sandboxes die",
    seed: 1,
  },
  {
    name: "a kubelet leaves alone what it finds of pods that are gone",
    file: `${kubelet}/housekeeping/housekeeping.ts`,
    find: "      workers.removeUnknown(pod);\n",
    replace: "",
    caughtBy: "S20",
    life: "pods are force-deleted while their kubelets are down",
    seed: 1,
  },
];
