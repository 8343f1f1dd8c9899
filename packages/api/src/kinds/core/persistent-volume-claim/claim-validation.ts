import type { LabelSelector } from "../../../meta/label-selector-type.ts";
import { sameJson } from "../../../values/json.ts";
import { checkLabel1123, checkQualifiedName, checkSubdomain1123 } from "../../../values/names.ts";
import { parseQuantity } from "../../../values/quantity.ts";
import { isNativeResource } from "../../../values/resource-names.ts";
import { describeDifferences } from "../../../validation/differences.ts";
import type { Faults } from "../../../validation/faults.ts";
import { validateLabelSelector } from "../../../validation/labels.ts";
import { validateTemplateMetadata } from "../../../validation/template-metadata.ts";
import { betaStorageClassAnnotation } from "../persistent-volume/class-of-storage.ts";
import {
  validateAccessModes,
  validateClassName,
  validatePositive,
  validateVolumeMode,
} from "../persistent-volume/storage-rules.ts";
import type { PersistentVolumeClaimSpec, PersistentVolumeClaimTemplate } from "../pod/volumes/volume-claim.ts";
import type { TypedObjectReference } from "../references.ts";
import type { PersistentVolumeClaim } from "./persistent-volume-claim.ts";

export function validateClaim({ spec }: PersistentVolumeClaim, faults: Faults): void {
  validateClaimSpec(spec ?? {}, "spec", faults);
}

function validateClaimSpec(spec: PersistentVolumeClaimSpec, path: string, faults: Faults): void {
  const { accessModes = [], selector, resources, storageClassName = "", volumeMode, dataSource, dataSourceRef } = spec;
  if (accessModes.length === 0) faults.required(`${path}.accessModes`, "at least 1 access mode is required");
  validateLabelSelector(selector as LabelSelector | undefined, `${path}.selector`, faults);
  validateAccessModes(accessModes, `${path}.accessModes`, faults);
  const storage = resources?.requests?.["storage"];
  if (storage === undefined) faults.required(`${path}.resources[storage]`);
  else validatePositive(storage, `${path}.resources[storage]`, faults);
  if (storageClassName !== "") validateClassName(storageClassName, `${path}.storageClassName`, faults);
  validateVolumeMode(volumeMode, `${path}.volumeMode`, faults);
  if (dataSource !== undefined) validateDataSource(dataSource, `${path}.dataSource`, faults);
  if (dataSourceRef !== undefined) validateDataSource(dataSourceRef, `${path}.dataSourceRef`, faults);
  if (dataSource !== undefined && dataSourceRef !== undefined) {
    const { namespace = "", ...named } = dataSourceRef;
    if (namespace !== "") {
      faults.invalid(path, `${path}.dataSource`, "may not be specified when dataSourceRef.namespace is specified");
    } else if (!sameJson(dataSource, named)) {
      faults.invalid(path, `${path}.dataSource`, "must match dataSourceRef");
    }
  }
  const { volumeAttributesClassName = "" } = spec;
  if (volumeAttributesClassName !== "") {
    validateClassName(volumeAttributesClassName, `${path}.volumeAttributesClassName`, faults);
  }
}

function validateDataSource(source: TypedObjectReference, path: string, faults: Faults): void {
  const { apiGroup = "", kind, name, namespace = "" } = source;
  if (name === "") faults.required(`${path}.name`);
  if (kind === "") faults.required(`${path}.kind`);
  if (apiGroup === "" && kind !== "PersistentVolumeClaim") {
    faults.invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
  if (apiGroup !== "") faults.invalidEach(`${path}.apiGroup`, apiGroup, checkSubdomain1123(apiGroup));
  if (namespace !== "") faults.invalidEach(`${path}.namespace`, namespace, checkLabel1123(namespace));
}

export function validateClaimTemplate(template: PersistentVolumeClaimTemplate, path: string, faults: Faults): void {
  validateTemplateMetadata(template.metadata ?? {}, `${path}.metadata`, faults);
  validateClaimSpec(template.spec, `${path}.spec`, faults);
}

export function validateClaimUpdate(after: PersistentVolumeClaim, before: PersistentVolumeClaim, faults: Faults): void {
  const [next, previous] = [after.spec ?? {}, before.spec ?? {}];
  const kept = keptOf(after, before);
  if (!upgradesFromAnnotation(after, before)) {
    const [newClass, oldClass] = [after, before].map(
      ({ metadata }) => metadata.annotations?.[betaStorageClassAnnotation] ?? "",
    );
    const field = `metadata.annotations[${betaStorageClassAnnotation}]`;
    faults.immutable(field, newClass, newClass === oldClass);
  }
  if (!sameJson(kept.after, kept.before)) {
    const differences = describeDifferences(kept.before, kept.after, "spec");
    const rule =
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    faults.forbidden("spec", `${rule}\n${differences}`);
  }
  validateShrink(after, before, faults);
  faults.immutable("volumeMode", next.volumeMode, next.volumeMode === previous.volumeMode);
  if (previous.volumeAttributesClassName === undefined) return;
  const { volumeAttributesClassName: attributesClass } = next;
  if (attributesClass === undefined) {
    faults.forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden");
  } else if (attributesClass === "" && previous.volumeAttributesClassName !== "") {
    faults.forbidden("spec.volumeAttributesClassName", "update from non-nil value to an empty string is forbidden");
  }
}

/** Both specs without the mutable fields, so that any difference between them is forbidden. */
function keptOf(
  after: PersistentVolumeClaim,
  before: PersistentVolumeClaim,
): Record<"after" | "before", PersistentVolumeClaimSpec> {
  const previous: PersistentVolumeClaimSpec = { ...before.spec };
  const next: PersistentVolumeClaimSpec = { ...after.spec };
  // The binder sets the volume of a claim once.
  if ((previous.volumeName ?? "") === "") setOrDelete(previous, "volumeName", next.volumeName);
  if (upgradesFromAnnotation(after, before) || upgradesFromNone(after, before)) {
    setOrDelete(next, "storageClassName", previous.storageClassName);
  }
  if (after.status?.phase === "Bound" && next.resources?.requests !== undefined) {
    const { storage, ...others } = next.resources.requests;
    const kept = previous.resources?.requests?.["storage"] ?? storage;
    next.resources = {
      ...next.resources,
      requests: { ...others, ...(kept === undefined ? {} : { storage: kept }) },
    };
  }
  setOrDelete(next, "volumeAttributesClassName", previous.volumeAttributesClassName);
  return { after: next, before: previous };
}

function setOrDelete(
  spec: PersistentVolumeClaimSpec,
  field: "volumeName" | "storageClassName" | "volumeAttributesClassName",
  value: string | undefined,
): void {
  if (value === undefined) delete spec[field];
  else spec[field] = value;
}

/** A claim whose class was an annotation may repeat the class in its field. */
function upgradesFromAnnotation(after: PersistentVolumeClaim, before: PersistentVolumeClaim): boolean {
  const old = before.metadata.annotations?.[betaStorageClassAnnotation];
  const annotated = after.metadata.annotations?.[betaStorageClassAnnotation];
  if (old === undefined || before.spec?.storageClassName !== undefined) return false;
  return after.spec?.storageClassName === old && (annotated === undefined || annotated === old);
}

/** A claim without a class may receive a class, as when the default class is created later. */
function upgradesFromNone(after: PersistentVolumeClaim, before: PersistentVolumeClaim): boolean {
  const named = after.spec?.storageClassName;
  if (named === undefined || before.spec?.storageClassName !== undefined) return false;
  const old = before.metadata.annotations?.[betaStorageClassAnnotation];
  return old === undefined || old === named;
}

/** A request may shrink only towards the volume's capacity, to recover from a failed expansion. */
function validateShrink(after: PersistentVolumeClaim, before: PersistentVolumeClaim, faults: Faults): void {
  const newSize = storageOf(after.spec?.resources?.requests);
  if (newSize >= storageOf(before.spec?.resources?.requests)) return;
  if (newSize <= storageOf(before.status?.capacity)) {
    faults.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity");
  }
}

function storageOf(quantities: Readonly<Record<string, string>> | undefined): bigint {
  return parseQuantity(quantities?.["storage"] ?? "0").nanos;
}

const resizeStatuses = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizePending",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
].toSorted();

export function validateClaimStatus({ spec, status }: PersistentVolumeClaim, faults: Faults): void {
  if ((spec?.accessModes ?? []).length === 0) faults.required("Spec.accessModes");
  for (const [name, quantity] of Object.entries(status?.capacity ?? {})) {
    validateBasicResource(quantity, `status.capacity[${name}]`, faults);
  }
  for (const [name, state] of Object.entries(status?.allocatedResourceStatuses ?? {})) {
    validateResourceKey(name, "status.allocatedResourceStatus", faults);
    if (!resizeStatuses.includes(state)) {
      faults.notSupported("status.allocatedResourceStatus", name, resizeStatuses);
    }
  }
  for (const [name, quantity] of Object.entries(status?.allocatedResources ?? {})) {
    if (!validateResourceKey(name, "status.allocatedResources", faults)) continue;
    validateBasicResource(quantity, `status.allocatedResources[${name}]`, faults);
  }
}

function validateBasicResource(quantity: string, path: string, faults: Faults): void {
  if (parseQuantity(quantity).nanos < 0n) faults.invalid(path, quantity, "must be a valid resource quantity");
}

function validateResourceKey(name: string, path: string, faults: Faults): boolean {
  const problems = checkQualifiedName(name);
  faults.invalidEach(path, name, problems);
  if (problems.length > 0) return false;
  if (!isNativeResource(name) || name === "storage") return true;
  faults.notSupported(path, name, ["storage"]);
  return false;
}
