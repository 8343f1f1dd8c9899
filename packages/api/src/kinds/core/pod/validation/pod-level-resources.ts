import { compareQuantities } from "../../../../values/quantity.ts";
import { isPodLevelResource, summedRequests } from "../rules/pod-level-resources.ts";
import type { PodSpec } from "../spec/pod-spec.ts";
import type { Faults } from "../../../../validation/faults.ts";
import { validateResources } from "./resources.ts";

const supported = ["cpu", "memory", "hugepages-"];

/**
 * Validates the runtime's overhead and the resources that all containers of a pod share
 * (validatePodResources).
 */
export function validatePodLevelResources(
  spec: PodSpec,
  { path, claims }: { path: string; claims: ReadonlySet<string> },
  faults: Faults,
): void {
  if (spec.overhead !== undefined) {
    validateResources({ limits: spec.overhead }, { path: `${path}.overhead`, claims }, faults);
  }
  if (spec.resources === undefined) return;
  const at = `${path}.resources`;
  if (spec.resources.claims !== undefined) {
    faults.forbidden(`${at}.claims`, "claims cannot be set for Resources at pod-level");
  }
  for (const list of ["limits", "requests"] as const) {
    for (const name of Object.keys(spec.resources[list] ?? {})) {
      if (!isPodLevelResource(name)) faults.notSupported(`${at}.${list}[${name}]`, name, supported);
    }
  }
  validateResources({ ...spec.resources, claims: undefined }, { path: at, claims }, faults);
  validateShares(spec, path, faults);
}

/** The containers of a pod never get more than the pod. */
function validateShares(spec: PodSpec, path: string, faults: Faults): void {
  const { requests = {}, limits = {} } = spec.resources ?? {};
  for (const [name, sum] of Object.entries(summedRequests(spec))) {
    const ofPod = requests[name] ?? "0";
    if (!isPodLevelResource(name) || compareQuantities(sum, ofPod) <= 0) continue;
    faults.invalid(
      `${path}.resources.requests[${name}]`,
      ofPod,
      `must be greater than or equal to aggregate container requests of ${sum}`,
    );
  }
  for (const list of ["containers", "initContainers"] as const) {
    for (const [index, { resources }] of (spec[list] ?? []).entries()) {
      for (const [name, limit] of Object.entries(resources?.limits ?? {})) {
        const ofPod = limits[name];
        if (ofPod === undefined || compareQuantities(limit, ofPod) <= 0) continue;
        const field = `${path}.${list}[${index}].resources.limits[${name}]`;
        faults.invalid(field, limit, `must be less than or equal to pod limits of ${ofPod}`);
      }
    }
  }
}
