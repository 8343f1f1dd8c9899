import {
  type ApiError,
  type FieldRequirement,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  requiredField,
  type Selector,
  SelectorError,
  badRequest,
} from "@kintsugi/api";
import type { Entry } from "@kintsugi/store";
import { parseStoreKey, storeKey, storePrefix } from "../resources/keys.ts";
import { isConverted } from "../resources/conversions.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";
import { decodeStored, storedResource } from "../resources/requested-form.ts";
import type { RequestInfo } from "./request-info.ts";

/**
 * The objects that a list, watch or deletecollection selects. The index alone decides, so objects
 * are not parsed.
 */
export interface Selection {
  /** Keys of the selected objects start with this. */
  readonly prefix: string;
  /**
   * The single field value by which watches are indexed, so that a change wakes only watches that
   * it may affect.
   */
  readonly route: FieldRoute | undefined;
  /** Selectors narrow the prefix further. */
  readonly narrowed: boolean;
  matches(entry: Entry): boolean;
  /**
   * Set where a webhook converts between the versions. Labels and fields are then compared in the
   * version of the request, with a converted object, and `matches` compares only the rest.
   */
  readonly matchesConverted?: (entry: Entry) => boolean;
}

export interface FieldRoute {
  field: string;
  value: string;
}

/**
 * @throws ApiError BadRequest when a selector is invalid or names a field that the kind does not
 * support.
 */
export function readSelection(info: RequestInfo, resource: Resource): Selection {
  const labels = parsing(() => parseLabels(info.query.get("labelSelector") ?? ""));
  const fields = parsing(() => parseFieldSelector(info.query.get("fieldSelector") ?? "")).map((requirement) => ({
    ...requirement,
    field: storedField(resource, requirement.field),
  }));
  for (const requirement of fields) checkField(requirement, resource);
  const name = requiredField(fields, "metadata.name");
  const namespace = info.namespace === "" ? (requiredField(fields, "metadata.namespace") ?? "") : info.namespace;
  const stored = storedResource(resource);
  const prefix = prefixOf(stored, namespace, name);
  const isIndexed = ({ field }: FieldRequirement): boolean => !isConverted(resource) || field.startsWith("metadata.");
  const indexed = fields.filter(isIndexed);
  const ofObject = fields.filter((requirement) => !isIndexed(requirement));
  const labelsOf = isConverted(resource) ? undefined : labels;
  // The index of an entry may be older than the field if the kind's schema is data.
  const nodeName = stored.kind.storedForm === undefined ? requiredField(fields, "spec.nodeName") : undefined;
  return {
    prefix,
    route:
      name !== undefined
        ? { field: "metadata.name", value: name }
        : nodeName !== undefined
          ? { field: "spec.nodeName", value: nodeName }
          : undefined,
    narrowed: labels !== undefined || fields.length > 0,
    matches: (entry) =>
      entry.key.startsWith(prefix) &&
      indexed.every((requirement) => matchesField(entry, requirement, stored)) &&
      (labelsOf === undefined || matchesLabels(labelsOf, entry.index.labels)),
    ...(isConverted(resource) &&
      (labels !== undefined || ofObject.length > 0) && {
        matchesConverted: (entry) => matchesObject(decodeStored(stored, entry), { labels, fields: ofObject, stored }),
      }),
  };
}

function matchesObject(
  object: KubeObject,
  { labels, fields, stored }: { labels: Selector | undefined; fields: readonly FieldRequirement[]; stored: Resource },
): boolean {
  return (
    (labels === undefined || matchesLabels(labels, object.metadata.labels ?? {})) &&
    fields.every(
      ({ field, operator, value }) =>
        ((stored.kind.selectable?.[field]?.(object) ?? "") === value) === (operator === "="),
    )
  );
}

/**
 * A name identifies its object where the namespace is known. Kubelets list their own Nodes this
 * way, and the time of such a list does not grow with the number of nodes. Longer names also have
 * the prefix.
 */
function prefixOf({ type }: Resource, namespace: string, name: string | undefined): string {
  const isPlaced = namespace !== "" || !type.namespaced;
  return name === undefined || !isPlaced ? storePrefix(type, namespace) : storeKey(type, namespace, name);
}

function parseLabels(text: string): Selector | undefined {
  return text === "" ? undefined : parseLabelSelector(text);
}

function parsing<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}

function checkField(requirement: FieldRequirement, resource: Resource): void {
  const { field } = requirement;
  if (field === "metadata.name" || (field === "metadata.namespace" && resource.type.namespaced)) return;
  const selectable = storedResource(resource).kind.selectable;
  if (selectable === undefined || !Object.hasOwn(selectable, field)) {
    throw notSupported(field);
  }
}

function matchesField(entry: Entry, { field, operator, value }: FieldRequirement, stored: Resource): boolean {
  return (valueOf(entry, field, stored) === value) === (operator === "=");
}

/**
 * The value in the index, or in the object itself where the field was not selectable yet when it
 * was written.
 */
function valueOf(entry: Entry, field: string, stored: Resource): string {
  const isIndexed = field.startsWith("metadata.") || stored.kind.storedForm === undefined;
  if (isIndexed || entry.index.fields?.[field] !== undefined) return selectableValue(entry, field);
  return stored.kind.selectable?.[field]?.(decodeStored(stored, entry)) ?? "";
}

/** The value of one selectable field of an entry. */
export function selectableValue(entry: Entry, field: string): string {
  if (field === "metadata.name") return parseStoreKey(entry.key).name;
  if (field === "metadata.namespace") return parseStoreKey(entry.key).namespace;
  return entry.index.fields?.[field] ?? "";
}

/**
 * The name under which the field is stored. A view has its own field names, and supports only these
 * names.
 */
function storedField({ view }: Resource, field: string): string {
  if (view === undefined || field.startsWith("metadata.")) return field;
  const stored = view.storedField?.(field);
  if (stored === undefined) throw notSupported(field);
  return stored;
}

function notSupported(field: string): ApiError {
  return badRequest(`field label not supported: ${field}`);
}
