import type { Container, EphemeralContainer } from "../spec/container.ts";
import type { PodSpec } from "../spec/pod-spec.ts";
import type { Faults } from "../../../../validation/faults.ts";
import { type ContainerPlace, type PodContext, validateContainer, validateHostPortConflicts } from "./container.ts";
import { validateLifecycleAndProbes } from "./probes.ts";
import { validateRestartRules } from "./restart-rules.ts";

type Place = PodContext & { path: string };

/** Validates the containers of all three types, and the rules between them. */
export function validateContainers(spec: PodSpec, at: Place, faults: Faults): void {
  validateMainContainers(spec.containers, { ...at, path: `${at.path}.containers` }, faults);
  if (spec.initContainers !== undefined) {
    validateInitContainers(spec, { ...at, path: `${at.path}.initContainers` }, faults);
  }
  if (spec.ephemeralContainers !== undefined) {
    validateEphemeralContainers(spec, { ...at, path: `${at.path}.ephemeralContainers` }, faults);
  }
}

function validateMainContainers(containers: readonly Container[], at: Place, faults: Faults): void {
  if (containers.length === 0) return faults.required(at.path);
  const names = new Set<string>();
  for (const [index, container] of containers.entries()) {
    const place: ContainerPlace = { ...at, path: `${at.path}[${index}]` };
    validateContainer(container, place, faults);
    if (names.has(container.name)) faults.duplicate(`${place.path}.name`, container.name);
    names.add(container.name);
    validateLifecycleAndProbes(container, place, faults);
    validateRestartRules(container, place, faults);
  }
  validateHostPortConflicts(containers, at.path, faults);
}

function validateInitContainers(spec: PodSpec, at: Place, faults: Faults): void {
  const names = new Set(spec.containers.map(({ name }) => name));
  for (const [index, container] of (spec.initContainers ?? []).entries()) {
    const place: ContainerPlace = { ...at, path: `${at.path}[${index}]` };
    validateContainer(container, place, faults);
    validateRestartRules(container, place, faults);
    if (names.has(container.name)) faults.duplicate(`${place.path}.name`, container.name);
    else if (container.name !== "") names.add(container.name);
    // Containers that run one after the other may use the same ports.
    validateHostPortConflicts([container], at.path, faults);
    if (container.restartPolicy === "Always") validateLifecycleAndProbes(container, place, faults);
    else forbid(container, { path: place.path, fields: runningFields, detail: runningOnly }, faults);
  }
}

const runningFields = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;

const runningOnly = "may not be set for init containers without restartPolicy=Always";

/** An ephemeral container serves to inspect the pod and may not have these fields. */
const lastingFields = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

function validateEphemeralContainers(spec: PodSpec, at: Place, faults: Faults): void {
  const others = new Set([...spec.containers, ...(spec.initContainers ?? [])].map(({ name }) => name));
  const names = new Set(others);
  for (const [index, container] of (spec.ephemeralContainers ?? []).entries()) {
    const place: ContainerPlace = { ...at, path: `${at.path}[${index}]` };
    validateContainer(container, place, faults);
    if (names.has(container.name)) faults.duplicate(`${place.path}.name`, container.name);
    names.add(container.name);
    const target = container.targetContainerName ?? "";
    if (target !== "" && !others.has(target)) faults.notFound(`${place.path}.targetContainerName`, target);
    const detail = "cannot be set for an Ephemeral Container";
    forbid(container, { path: place.path, fields: lastingFields, detail }, faults);
    for (const [mountIndex, mount] of (container.volumeMounts ?? []).entries()) {
      const mountPath = `${place.path}.volumeMounts[${mountIndex}]`;
      if ((mount.subPath ?? "") !== "") faults.forbidden(`${mountPath}.subPath`, detail);
      if ((mount.subPathExpr ?? "") !== "") faults.forbidden(`${mountPath}.subPathExpr`, detail);
    }
  }
}

interface Forbidden {
  path: string;
  fields: readonly (keyof Container)[];
  detail: string;
}

function forbid(container: Container | EphemeralContainer, { path, fields, detail }: Forbidden, faults: Faults): void {
  for (const field of fields) {
    if (isSet(container[field])) faults.forbidden(`${path}.${field}`, detail);
  }
}

/** Defaulting creates empty lists and objects, which do not count as set. */
function isSet(value: unknown): boolean {
  if (value === undefined || value === "") return false;
  return typeof value !== "object" || Object.keys(value ?? {}).length > 0;
}
