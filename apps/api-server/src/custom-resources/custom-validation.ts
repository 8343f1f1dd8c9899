import {
  type Faults,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type KindValidation,
  validateCustomMetaUpdate,
} from "@kintsugi/api";
import { newBudget, validateEmbedded, validateLists, validateRules, validateValue } from "@kintsugi/structural-schemas";
import type { KubeObject } from "../resources/resource.ts";

/**
 * The rules of a custom kind: the rules of its schema, and the rules for every object's metadata.
 */
export function customValidation(
  schema: JsonSchema,
  { hasStatus }: { hasStatus: boolean },
): KindValidation<KubeObject> {
  const whole = (after: KubeObject, before: KubeObject | undefined, faults: Faults) => {
    const place = { value: contentOf(after), schema, path: "", before: before && contentOf(before) };
    validateValue({ ...place, budget: newBudget() }, faults);
    validateLists(place, faults);
    validateEmbedded(contentOf(after), schema, faults);
    validateRules(place, faults);
  };
  const change = (after: KubeObject, before: KubeObject, faults: Faults) => {
    validateCustomMetaUpdate(after.metadata, before.metadata, faults);
    whole(after, before, faults);
  };
  const ofStatus = (after: KubeObject, before: KubeObject, faults: Faults) => {
    validateCustomMetaUpdate(after.metadata, before.metadata, faults);
    const status = schema.properties?.["status"];
    if (status === undefined || after.status === undefined) return;
    const old = before.status === undefined ? undefined : { status: before.status as JsonValue };
    // The rest of the object may have become invalid under a newer schema.
    const place = {
      value: { status: after.status as JsonValue },
      schema: { properties: { status } },
      path: "",
      before: old,
    };
    validateValue({ ...place, budget: newBudget() }, faults);
    validateLists(place, faults);
    validateEmbedded(place.value, place.schema, faults);
    const all = { value: contentOf(after), schema, path: "", before: contentOf(before) };
    validateRules(all, faults);
  };
  return {
    plainFinalizers: true,
    validate: (object, faults) => whole(object, undefined, faults),
    subresources: { "": change, scale: change, ...(hasStatus && { status: ofStatus }) },
  };
}

/** These names are upstream's own. */
const standardFinalizers = new Set(["orphan", "foregroundDeletion"]);

/** Returns a warning for each new finalizer whose name may also belong to another writer. */
export function finalizerWarnings({ metadata }: KubeObject, before: KubeObject | undefined): string[] {
  const known = new Set([...standardFinalizers, ...(before?.metadata.finalizers ?? [])]);
  const advice =
    "prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers";
  return [...new Set(metadata.finalizers ?? [])]
    .filter((name) => !known.has(name) && !name.includes("/"))
    .toSorted()
    .map((name) => `metadata.finalizers: ${JSON.stringify(name)}: ${advice}`);
}

function contentOf(object: KubeObject): JsonObject {
  return object as unknown as JsonObject;
}
