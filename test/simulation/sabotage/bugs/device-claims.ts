import type { PlantedBug } from "../planted-bug.ts";

const broken = "devices of pods fail while their controller is killed";
const killed = "pods with devices lose their controller between its writes";

/** Bugs of device claims: their creation and release. */
export const deviceClaimBugs: readonly PlantedBug[] = [
  {
    name: "a claim for devices names its pod instead of the pod's entry",
    file: "apps/controller-manager/src/controllers/resource-claim/plan-pod.ts",
    find: "[podClaimNameAnnotation]: entry.name }",
    replace: "[podClaimNameAnnotation]: pod.metadata.name ?? entry.name }",
    caughtBy: "device-claims-are-made-once",
    run: killed,
    seed: 1,
  },
  {
    name: "a claim remains reserved for a deleted pod",
    file: "apps/controller-manager/src/controllers/resource-claim/plan-claim.ts",
    find: "!isPodConsumer(consumer) || uses(consumer)",
    replace: "!isPodConsumer(consumer) || uses(consumer) || status.allocation !== undefined",
    caughtBy: "device-claims-are-released",
    run: killed,
    seed: 1,
  },
  {
    name: "a device that breaks wakes no controller",
    file: "apps/controller-manager/src/controllers/device-taint-eviction/controller.ts",
    find: "return claims.flatMap(consumerKeys);",
    replace: "return claims.slice(0, 0).flatMap(consumerKeys);",
    caughtBy: "broken-devices-are-evicted",
    run: broken,
    seed: 1,
  },
  {
    name: "a device that breaks evicts the pods of devices with the same name on other nodes",
    file: "apps/controller-manager/src/controllers/device-taint-eviction/allocated-taints.ts",
    find: 'slices.byIndex("evicting", key).flatMap',
    replace: "slices.list().flatMap",
    caughtBy: "working-devices-keep-their-pods",
    run: broken,
    seed: 1,
  },
];
