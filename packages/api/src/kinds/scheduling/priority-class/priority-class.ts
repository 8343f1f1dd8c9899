import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { bool, int32, oneOf, text } from "../../../schema/types.ts";

export const PriorityClass = kind(
  "io.k8s.api.scheduling.v1.PriorityClass",
  "A PriorityClass maps a name to the integer priority of pods.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    value: field(2, int32, "Priority of the class's pods. A higher value means a higher priority."),
    globalDefault: field(
      3,
      bool,
      "Makes the class the default for pods without a class if true. Only one class should be the default.",
    ),
    description: field(4, text, "Text that explains when to use the class."),
    preemptionPolicy: field(
      5,
      oneOf("PreemptLowerPriority", "Never"),
      "Preemption by pods of the class: PreemptLowerPriority allows the preemption of pods with a lower priority, Never does not. Defaults to PreemptLowerPriority.",
    ),
  }),
);
export type PriorityClass = z.infer<typeof PriorityClass>;

/** User-defined classes are never above this (scheduling.HighestUserDefinablePriority). */
export const highestUserPriority = 1_000_000_000;
/**
 * Pods of this priority or above are critical for the cluster (scheduling.SystemCriticalPriority).
 */
export const systemCriticalPriority = 2 * highestUserPriority;
/** Prefix of names that are reserved for the cluster (scheduling.SystemPriorityClassPrefix). */
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
