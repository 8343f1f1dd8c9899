import { countedNoun, isPodActive, type ReplicaSet, type ReplicationController, type StatefulSet } from "@kintsugi/api";
import type { ExplainedReason } from "../explanation.ts";
import { aboutObject } from "../words/phrases.ts";
import type { World } from "../world.ts";
import { availabilityReasons, podsOf, readiness, reasonsOfPods } from "./pods-of.ts";
import { refusalReasons } from "./refused.ts";

/** Explains a ReplicaSet or a ReplicationController, which differ only in their selectors. */
export function replicasReasons(
  set: ReplicaSet | ReplicationController,
  kind: "ReplicaSet" | "ReplicationController",
  world: World,
): ExplainedReason[] {
  const pods = podsOf(set, world);
  const refused = refusalReasons(set, kind, world);
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  return [
    ...refused,
    ...(refused.length > 0 ? [] : missing(set, kind, pods.filter(isPodActive).length)),
    ...reasonsOfPods(pods, world),
    ...availabilityReasons(set, { kind, pods, minReadySeconds }, world),
  ];
}

export function replicasState(set: ReplicaSet | ReplicationController | StatefulSet, world: World): string {
  return readiness(podsOf(set, world), set.spec?.replicas ?? 1);
}

function missing(set: ReplicaSet | ReplicationController, kind: string, active: number): ExplainedReason[] {
  const wanted = set.spec?.replicas ?? 1;
  if (active >= wanted) return [];
  return [
    {
      code: "TooFewPods",
      about: aboutObject(kind, set),
      because: `It has ${countedNoun(active, "pod")} and should have ${wanted}.`,
      awaits: "its controller to create or delete pods",
      remedies: [{ does: "See whether the controller-manager runs", command: "kintsugi status" }],
    },
  ];
}
