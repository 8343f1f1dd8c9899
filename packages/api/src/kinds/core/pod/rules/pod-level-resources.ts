import { addQuantities, compareQuantities } from "../../../../values/quantity.ts";
import type { Container } from "../spec/container.ts";
import type { PodSpec } from "../spec/pod-spec.ts";
import { isSidecar } from "./pod-resources.ts";

type Quantities = Record<string, string>;

/** Reports whether the resource is allowed at pod level, for all containers together. */
export function isPodLevelResource(name: string): boolean {
  return name === "cpu" || name === "memory" || name.startsWith("hugepages-");
}

/**
 * Sets the requests of a pod with pod-level limits: the sum of its containers' requests, or else
 * the limits (setDefaultPodRequests).
 */
export function requestForPod(spec: PodSpec): void {
  const { resources } = spec;
  if (resources?.limits === undefined) return;
  const ofContainers = Object.entries(summedRequests(spec)).filter(
    ([name]) => isPodLevelResource(name) && !name.startsWith("hugepages-"),
  );
  const requests = { ...resources.limits, ...Object.fromEntries(ofContainers), ...resources.requests };
  if (Object.keys(requests).length > 0) resources.requests = requests;
}

/**
 * Sums the requests of the containers that run together; if an init container and the sidecars
 * before it request more, returns their sum.
 */
export function summedRequests({ containers, initContainers = [] }: PodSpec): Quantities {
  const total: Quantities = {};
  for (const container of containers) add(total, container);
  const sidecars: Quantities = {};
  const peak: Quantities = {};
  for (const container of initContainers) {
    const together = isSidecar(container) ? sidecars : { ...sidecars };
    add(together, container);
    raise(peak, together);
    if (isSidecar(container)) add(total, container);
  }
  raise(total, peak);
  return total;
}

function add(sum: Quantities, { resources }: Container): void {
  for (const [name, quantity] of Object.entries(resources?.requests ?? {}))
    sum[name] = addQuantities(sum[name] ?? "0", quantity);
}

function raise(target: Quantities, other: Quantities): void {
  for (const [name, quantity] of Object.entries(other)) {
    if (compareQuantities(quantity, target[name] ?? "0") > 0) target[name] = quantity;
  }
}
