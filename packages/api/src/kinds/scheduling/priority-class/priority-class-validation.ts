import {
  highestUserPriority,
  type PriorityClass,
  systemPriorityClasses,
  systemPriorityPrefix,
} from "./priority-class.ts";
import type { Faults } from "../../../validation/faults.ts";

/** The rules follow pkg/apis/scheduling/validation. */
export function validatePriorityClass(priorityClass: PriorityClass, faults: Faults): void {
  const { metadata, value = 0, preemptionPolicy } = priorityClass;
  if (metadata.name?.startsWith(systemPriorityPrefix)) {
    const because = differenceFromSystemClass(priorityClass);
    if (because !== undefined) {
      const reserved = `priority class names with '${systemPriorityPrefix}' prefix are reserved for system use only`;
      faults.forbidden("metadata.name", `${reserved}. error: ${because}`);
    }
  } else if (value > highestUserPriority) {
    faults.forbidden("value", `maximum allowed value of a user defined priority is ${highestUserPriority}`);
  }
  if (preemptionPolicy !== undefined) {
    faults.oneOf("preemptionPolicy", preemptionPolicy, ["PreemptLowerPriority", "Never"]);
  }
}

/** Pods copy these fields from their class, so they never change. */
export function validatePriorityClassUpdate(after: PriorityClass, before: PriorityClass, faults: Faults): void {
  if (after.value !== before.value) faults.forbidden("value", "may not be changed in an update.");
  const { preemptionPolicy } = after;
  faults.immutable("preemptionPolicy", preemptionPolicy, preemptionPolicy === before.preemptionPolicy);
}

function differenceFromSystemClass({ metadata, value, globalDefault = false }: PriorityClass): string | undefined {
  const known = systemPriorityClasses.find(({ metadata: { name } }) => name === metadata.name);
  if (!known) return `${metadata.name} is not a known system priority class`;
  if (value !== known.value) return `value of ${metadata.name} PriorityClass must be ${known.value}`;
  return globalDefault ? `globalDefault of ${metadata.name} PriorityClass must be false` : undefined;
}
