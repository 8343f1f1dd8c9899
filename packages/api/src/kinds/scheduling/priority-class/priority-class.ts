import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { bool, int32, oneOf, text } from "../../../schema/types.ts";

export const PriorityClass = kind(
  "io.k8s.api.scheduling.v1.PriorityClass",
  "A name for how important pods are.",
  () => ({
    metadata: always(1, ObjectMeta),
    value: field(2, int32, "The priority of its pods; a higher one is more important."),
    globalDefault: field(3, bool, "Whether pods that name no class have this one."),
    description: field(4, text, "What it is meant for."),
    preemptionPolicy: field(
      5,
      oneOf("PreemptLowerPriority", "Never"),
      "Whether its pods may take the place of less important ones.",
    ),
  }),
);
export type PriorityClass = z.infer<typeof PriorityClass>;

/** No class of a user's own is above this (scheduling.HighestUserDefinablePriority). */
export const highestUserPriority = 1_000_000_000;
/** From here on the cluster itself needs a pod (scheduling.SystemCriticalPriority). */
export const systemCriticalPriority = 2 * highestUserPriority;
/** Names that begin so are the cluster's own (scheduling.SystemPriorityClassPrefix). */
export const systemPriorityPrefix = "system-";

/** Classes that every cluster has (scheduling/v1/helpers.go). */
export const systemPriorityClasses: readonly PriorityClass[] = [
  systemClass(
    "system-node-critical",
    systemCriticalPriority + 1000,
    "Used for system critical pods that must not be moved from their current node.",
  ),
  systemClass(
    "system-cluster-critical",
    systemCriticalPriority,
    "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  ),
];

function systemClass(name: string, value: number, description: string): PriorityClass {
  return { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name }, value, description };
}
