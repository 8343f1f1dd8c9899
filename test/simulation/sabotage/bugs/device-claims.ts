import type { PlantedBug } from "../planted-bug.ts";

const killed = "pods with devices lose their controller between its writes";

/** Bugs of claims for devices: how they are made, and given back. */
export const deviceClaimBugs: readonly PlantedBug[] = [
  {
    name: "a claim for devices names its pod where it has to name the pod's entry",
    file: "apps/controller-manager/src/controllers/resource-claim/plan-pod.ts",
    find: "[podClaimNameAnnotation]: entry.name }",
    replace: "[podClaimNameAnnotation]: pod.metadata.name ?? entry.name }",
    caughtBy: "S54",
    life: killed,
    seed: 1,
  },
  {
    name: "a claim stays reserved for a pod that is gone",
    file: "apps/controller-manager/src/controllers/resource-claim/plan-claim.ts",
    find: "!isPodConsumer(consumer) || uses(consumer)",
    replace: "!isPodConsumer(consumer) || uses(consumer) || status.allocation !== undefined",
    caughtBy: "L20",
    life: killed,
    seed: 1,
  },
];
