import { sameJson } from "../../../values/json.ts";
import { parseQuantity } from "../../../values/quantity.ts";
import { describeDifferences } from "../../../validation/differences.ts";
import type { Faults } from "../../../validation/faults.ts";
import { validateNodeSelector } from "../pod/validation/affinity.ts";
import type { PersistentVolume, PersistentVolumeSpec, VolumeNodeAffinity } from "./persistent-volume.ts";
import { sourceNames, validateSource } from "./source-validation.ts";
import { validateAccessModes, validateClassName, validatePositive, validateVolumeMode } from "./storage-rules.ts";

const reclaimPolicies = ["Delete", "Recycle", "Retain"];

export function validatePersistentVolume({ spec = {} }: PersistentVolume, faults: Faults): void {
  const { accessModes = [], capacity = {}, nodeAffinity, persistentVolumeReclaimPolicy: policy = "" } = spec;
  if (accessModes.length === 0) faults.required("spec.accessModes");
  validateAccessModes(accessModes, "spec.accessModes", faults);
  validateCapacity(capacity, faults);
  if (policy !== "" && !reclaimPolicies.includes(policy)) {
    faults.notSupported("spec.persistentVolumeReclaimPolicy", policy, reclaimPolicies);
  }
  if (nodeAffinity !== undefined) {
    if (nodeAffinity.required === undefined) {
      faults.required("spec.nodeAffinity.required", "must specify required node constraints");
    } else validateNodeSelector(nodeAffinity.required, "spec.nodeAffinity.required", faults);
  }
  validateSource(spec, "spec", faults);
  if (spec.local !== undefined && nodeAffinity === undefined) {
    faults.required("spec.nodeAffinity", "Local volume requires node affinity");
  }
  if (policy === "Recycle" && isRoot(spec.hostPath?.path)) {
    faults.forbidden("spec.persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'");
  }
  const { storageClassName = "", volumeAttributesClassName: attributesClass } = spec;
  if (storageClassName !== "") validateClassName(storageClassName, "spec.storageClassName", faults);
  validateVolumeMode(spec.volumeMode, "spec.volumeMode", faults);
  if (attributesClass === undefined) return;
  if (attributesClass === "") faults.required("spec.volumeAttributesClassName", "an empty string is disallowed");
  else validateClassName(attributesClass, "spec.volumeAttributesClassName", faults);
  if (spec.csi === undefined) {
    faults.required("spec.csi", "has to be specified when using volumeAttributesClassName");
  }
}

/** An inline volume of a pod is not an object, so most of its fields may not be set. */
export function validateInlineVolumeSpec(spec: PersistentVolumeSpec, path: string, faults: Faults): void {
  const context = "in the context of inline volumes";
  const { accessModes = [], capacity = {}, persistentVolumeReclaimPolicy: policy = "", storageClassName = "" } = spec;
  if (spec.claimRef !== undefined) faults.forbidden(`${path}.claimRef`, `may not be specified ${context}`);
  if (Object.keys(capacity).length > 0) faults.forbidden(`${path}.capacity`, `may not be specified ${context}`);
  if (spec.csi === undefined) faults.required(`${path}.csi`, `has to be specified ${context}`);
  if (accessModes.length === 0) faults.required(`${path}.accessModes`);
  validateAccessModes(accessModes, `${path}.accessModes`, faults);
  if (policy !== "" && policy !== "Retain") {
    faults.forbidden(`${path}.persistentVolumeReclaimPolicy`, `may only be Retain ${context}`);
  }
  if (spec.nodeAffinity !== undefined) faults.forbidden(`${path}.nodeAffinity`, `may not be specified ${context}`);
  validateSource(spec, path, faults);
  if (storageClassName !== "") faults.forbidden(`${path}.storageClassName`, `may not be specified ${context}`);
  if (spec.volumeMode !== undefined && spec.volumeMode !== "Filesystem") {
    faults.forbidden(`${path}.volumeMode`, `may not specify volumeMode other than Filesystem ${context}`);
  }
}

function validateCapacity(capacity: Readonly<Record<string, string>>, faults: Faults): void {
  const resources = Object.keys(capacity);
  if (resources.length === 0) faults.required("spec.capacity");
  if (capacity["storage"] === undefined || resources.length > 1) {
    faults.notSupported("spec.capacity", capacity, ["storage"]);
  }
  for (const [name, quantity] of Object.entries(capacity)) {
    const path = `spec.capacity[${name}]`;
    if (parseQuantity(quantity).nanos < 0n) faults.invalid(path, quantity, "must be a valid resource quantity");
    validatePositive(quantity, path, faults);
  }
}

function isRoot(path: string | undefined): boolean {
  return path !== undefined && path.startsWith("/") && path.split("/").every((part) => part === "" || part === ".");
}

export function validatePersistentVolumeUpdate(
  after: PersistentVolume,
  before: PersistentVolume,
  faults: Faults,
): void {
  const [next, previous] = [after.spec ?? {}, before.spec ?? {}];
  const [nextSource, previousSource] = [sourceOf(next, previous), sourceOf(previous, previous)];
  if (!sameJson(nextSource, previousSource)) {
    const differences = describeDifferences(previousSource, nextSource, "spec");
    faults.forbidden(
      "spec.persistentvolumesource",
      `spec.persistentvolumesource is immutable after creation\n${differences}`,
    );
  }
  faults.immutable("volumeMode", next.volumeMode, next.volumeMode === previous.volumeMode);
  if (previous.nodeAffinity !== undefined) {
    const same = sameJson(withOldLabels(next.nodeAffinity, previous.nodeAffinity), previous.nodeAffinity);
    faults.immutable("nodeAffinity", next.nodeAffinity, same);
  }
  if (previous.volumeAttributesClassName !== undefined && next.volumeAttributesClassName === undefined) {
    faults.forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden");
  }
}

/** Returns only the source. The Secret of a driver's expansion may be added later. */
function sourceOf(spec: PersistentVolumeSpec, previous: PersistentVolumeSpec): PersistentVolumeSpec {
  const source: PersistentVolumeSpec = Object.fromEntries(
    sourceNames.filter((name) => spec[name] !== undefined).map((name) => [name, spec[name]]),
  );
  if (source.csi !== undefined && previous.csi?.controllerExpandSecretRef === undefined) {
    const { controllerExpandSecretRef: _added, ...csi } = source.csi;
    source.csi = csi;
  }
  return source;
}

/** Renamed labels of nodes, keyed by their present names. */
const renamedLabels: Readonly<Record<string, string>> = {
  "topology.kubernetes.io/zone": "failure-domain.beta.kubernetes.io/zone",
  "topology.kubernetes.io/region": "failure-domain.beta.kubernetes.io/region",
  "node.kubernetes.io/instance-type": "beta.kubernetes.io/instance-type",
  "kubernetes.io/os": "beta.kubernetes.io/os",
  "kubernetes.io/arch": "beta.kubernetes.io/arch",
};

/** The new affinity, in which renamed labels have their old names again. */
function withOldLabels(
  affinity: VolumeNodeAffinity | undefined,
  previous: VolumeNodeAffinity,
): VolumeNodeAffinity | undefined {
  const terms = affinity?.required?.nodeSelectorTerms;
  if (terms === undefined) return affinity;
  const nodeSelectorTerms = terms.map((term, place) => {
    if (term.matchExpressions === undefined) return term;
    const old = previous.required?.nodeSelectorTerms[place]?.matchExpressions;
    const matchExpressions = term.matchExpressions.map((expression, index) => {
      const key = old?.[index]?.key;
      return key !== undefined && renamedLabels[expression.key] === key ? { ...expression, key } : expression;
    });
    return { ...term, matchExpressions };
  });
  return { ...affinity, required: { nodeSelectorTerms } };
}
