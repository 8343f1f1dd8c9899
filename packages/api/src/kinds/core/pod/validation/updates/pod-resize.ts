import type { Container } from "../../spec/container.ts";
import { isSidecar, podQosClass } from "../../rules/pod-resources.ts";
import type { Pod } from "../../pod.ts";
import { isMirrorPod } from "../../rules/static-pod.ts";
import { sameJson } from "../../../../../values/json.ts";
import type { Faults } from "../../../../../validation/faults.ts";
import { validatePod } from "../pod.ts";
import { validatePodMetaUpdate } from "./pod-update.ts";

/**
 * Cpu and memory of running containers may be changed in place, if the pod's QoS class does not
 * change. The memory limit may be lowered, as in Kubernetes since 1.34; the kubelet applies the
 * lower limit when the container uses less memory.
 */
export function validatePodResize(after: Pod, before: Pod, faults: Faults): void {
  if (isMirrorPod(before)) {
    return faults.forbidden("", "static pods cannot be resized");
  }
  if (before.spec?.resources !== undefined || after.spec?.resources !== undefined) {
    return faults.forbidden("", "pods with pod-level resources cannot be resized");
  }
  validatePodMetaUpdate(after, before, faults);
  validatePod(after, faults);
  if (podQosClass(before) !== podQosClass(after)) {
    faults.invalid("spec", after.status?.qosClass ?? "", "Pod QOS Class may not change as a result of resizing");
  }
  for (const list of ["containers", "initContainers"] as const) {
    const previous = before.spec?.[list] ?? [];
    const next = after.spec?.[list] ?? [];
    if (previous.length !== next.length) faults.forbidden("spec", "only cpu and memory resources are mutable");
    for (const [index, old] of previous.entries()) {
      const container = next[index];
      if (container === undefined) continue;
      const fixed = list === "initContainers" && !isSidecar(old);
      if (fixed && !sameJson(container, old)) {
        faults.forbidden("spec", "resources for non-sidecar init containers are immutable");
      } else if (!fixed) validateContainerResize(container, old, { path: `spec.${list}[${index}].resources`, faults });
    }
  }
  const rest = { containers: undefined, initContainers: undefined };
  if (!sameJson({ ...after.spec, ...rest }, { ...before.spec, ...rest })) {
    faults.forbidden("spec", "only cpu and memory resources are mutable");
  }
}

function validateContainerResize(after: Container, before: Container, context: { path: string; faults: Faults }): void {
  const { path, faults } = context;
  for (const list of ["requests", "limits"] as const) {
    const [next, previous] = [after.resources?.[list] ?? {}, before.resources?.[list] ?? {}];
    const removed = Object.keys(previous).some((name) => next[name] === undefined);
    if (removed) faults.forbidden(`${path}.${list}`, `resource ${list} cannot be removed`);
  }
  if (!sameJson(withoutCpuAndMemory(after), withoutCpuAndMemory(before))) {
    faults.forbidden("spec", "only cpu and memory resources are mutable");
  }
}

function withoutCpuAndMemory(container: Container): unknown {
  const { requests, limits, claims } = container.resources ?? {};
  const others = (amounts: Readonly<Record<string, string>> | undefined) =>
    Object.entries(amounts ?? {}).filter(([name]) => name !== "cpu" && name !== "memory");
  return { ...container, resources: { claims, requests: others(requests), limits: others(limits) } };
}
