import type { ObjectMeta, OwnerReference } from "../meta/object-meta.ts";
import { asPrefix, checkQualifiedName, type NameCheck } from "../values/names.ts";
import { sameJson } from "../values/json.ts";
import type { Faults } from "./faults.ts";
import { validateAnnotations, validateLabels } from "./labels.ts";

export interface MetaRules {
  namespaced: boolean;
  checkName: NameCheck;
  /** Finalizers do not need a domain in their names, as for custom objects; false when absent. */
  plainFinalizers?: boolean;
}

/** Validates the metadata of a new object, whose name has already been generated if requested. */
export function validateObjectMeta(metadata: ObjectMeta, rules: MetaRules, faults: Faults): void {
  const { name = "", generateName = "", namespace = "" } = metadata;
  if (generateName !== "") {
    faults.invalidEach("metadata.generateName", generateName, asPrefix(rules.checkName)(generateName));
  }
  if (name === "") faults.required("metadata.name", "name or generateName is required");
  else faults.invalidEach("metadata.name", name, rules.checkName(name));
  if (rules.namespaced && namespace === "") faults.required("metadata.namespace");
  if (!rules.namespaced && namespace !== "") faults.forbidden("metadata.namespace", "not allowed on this type");
  faults.notNegative("metadata.generation", metadata.generation);
  validateCommon(metadata, rules, faults);
}

/** Validates the metadata that clients may not change. */
export function validateObjectMetaUpdate(after: ObjectMeta, before: ObjectMeta, faults: Faults): void {
  validateUnchangeable(after, before, faults);
  validateCommon(after, {}, faults);
}

/**
 * `validateObjectMetaUpdate` for a custom object, whose finalizers do not need a domain in their
 * names.
 */
export function validateCustomMetaUpdate(after: ObjectMeta, before: ObjectMeta, faults: Faults): void {
  validateUnchangeable(after, before, faults);
  validateCommon(after, { plainFinalizers: true }, faults);
}

function validateUnchangeable(after: ObjectMeta, before: ObjectMeta, faults: Faults): void {
  if ((after.resourceVersion ?? "") === "")
    faults.invalid("metadata.resourceVersion", 0, "must be specified for an update");
  if ((after.generation ?? 0) < (before.generation ?? 0)) {
    faults.invalid("metadata.generation", after.generation, "must not be decremented");
  }
  for (const field of immutableFields) {
    faults.immutable(`metadata.${field}`, after[field], after[field] === before[field]);
  }
  validateAddedFinalizers(after, before, faults);
}

const immutableFields = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

function validateCommon(
  metadata: ObjectMeta,
  { plainFinalizers = false }: Pick<MetaRules, "plainFinalizers">,
  faults: Faults,
): void {
  validateLabels(metadata.labels, "metadata.labels", faults);
  validateAnnotations(metadata.annotations, "metadata.annotations", faults);
  if (metadata.ownerReferences !== undefined) validateOwners(metadata.ownerReferences, faults);
  if (metadata.finalizers !== undefined) validateFinalizers(metadata.finalizers, plainFinalizers, faults);
}

function validateOwners(owners: readonly OwnerReference[], faults: Faults): void {
  let controller: string | undefined;
  for (const [index, owner] of owners.entries()) {
    const path = `metadata.ownerReferences[${index}]`;
    const version = owner.apiVersion.split("/").at(-1) ?? "";
    if (version === "") faults.invalid(`${path}.apiVersion`, owner.apiVersion, "version must not be empty");
    if (owner.kind === "") faults.invalid(`${path}.kind`, owner.kind, "must not be empty");
    if (owner.name === "") faults.invalid(`${path}.name`, owner.name, "must not be empty");
    if (owner.uid === "") faults.invalid(`${path}.uid`, owner.uid, "must not be empty");
    if (owner.kind === "Event" && owner.apiVersion === "v1") {
      faults.invalid(path, owner, `${owner.apiVersion}, Kind=Event is disallowed from being an owner`);
    }
    if (owner.controller !== true) continue;
    const shown = `${owner.kind}/${owner.name}`;
    if (controller !== undefined) {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${shown}`;
      faults.invalid("metadata.ownerReferences", owners, detail);
    }
    controller = shown;
  }
}

/** Validates only labels and annotations, which a conversion may change. */
export function validateObjectMetaLabels(
  { labels, annotations }: { labels?: unknown; annotations?: unknown },
  faults: Faults,
): void {
  validateLabels(labels as ObjectMeta["labels"], "metadata.labels", faults);
  validateAnnotations(annotations as ObjectMeta["annotations"], "metadata.annotations", faults);
}

const standardFinalizers = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

function validateFinalizers(finalizers: readonly string[], plainFinalizers: boolean, faults: Faults): void {
  for (const [index, finalizer] of finalizers.entries()) {
    const path = `metadata.finalizers[${index}]`;
    faults.invalidEach(path, finalizer, checkQualifiedName(finalizer));
    if (!plainFinalizers && !finalizer.includes("/") && !standardFinalizers.has(finalizer)) {
      faults.invalid(path, finalizer, "name is neither a standard finalizer name nor is it fully qualified");
    }
  }
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    const detail = 'finalizer set cannot contain both "orphan" and "foregroundDeletion"';
    faults.invalid("metadata.finalizers", finalizers, detail);
  }
}

/** Once deletion has begun, finalizers can only be removed. */
function validateAddedFinalizers(after: ObjectMeta, before: ObjectMeta, faults: Faults): void {
  if (before.deletionTimestamp === undefined || sameJson(after.finalizers, before.finalizers)) return;
  const added = (after.finalizers ?? []).filter((finalizer) => !(before.finalizers ?? []).includes(finalizer));
  if (added.length === 0) return;
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(", ");
  faults.forbidden(
    "metadata.finalizers",
    `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
  );
}
