import { pods, systemCriticalPriority } from "@kintsugi/api";
import { type AdmissionStep, createdObject } from "./admission.ts";

/** Upstream's built-in priority classes, for the system's own pods. */
const builtIn: Readonly<Record<string, number>> = {
  "system-cluster-critical": systemCriticalPriority,
  "system-node-critical": systemCriticalPriority + 1000,
};

/** Every pod has a priority, and preempts whom it may. */
export const podPriority: AdmissionStep = {
  name: "Priority",
  mutate: (request) => {
    const spec = createdObject(request, pods)?.spec;
    if (spec === undefined) return;
    spec.priority ??= builtIn[spec.priorityClassName ?? ""] ?? 0;
    spec.preemptionPolicy ??= "PreemptLowerPriority";
  },
};
