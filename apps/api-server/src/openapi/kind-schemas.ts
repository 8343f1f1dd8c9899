import { DeleteOptions, describeSchema, type JsonObject, ListMeta, Status } from "@kintsugi/api";
import type { ServedResource } from "../resources/served-resource.ts";
import { type Dialect, type GroupVersionKind, metaPackage } from "./document-parts.ts";
import { schemasOf } from "./type-schemas.ts";

const gvkKey = "x-kubernetes-group-version-kind";

/**
 * The schemas of all bodies and answers of the resources, each kind with its group, version and
 * kind.
 */
export function schemasOfResources(resources: readonly ServedResource[], dialect: Dialect): Record<string, JsonObject> {
  const meta = [DeleteOptions, Status, ListMeta].map(describeSchema);
  const types = resources.flatMap(({ description, subresources }) => [
    description,
    ...subresources.flatMap((subresource) => subresource.description ?? []),
  ]);
  const schemas = schemasOf([...meta, ...types], dialect);
  for (const { description, verbs } of resources) {
    if (description.type === "object" && verbs.includes("list")) {
      schemas.set(`${description.name}List`, listSchema(description.name, dialect));
    }
  }
  for (const [name, kinds] of kindsByName(resources)) {
    const schema = schemas.get(name);
    if (schema !== undefined) {
      schema[gvkKey] = kinds.map((kind) => ({ ...kind }));
    }
  }
  return Object.fromEntries([...schemas].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

function listSchema(itemName: string, dialect: Dialect): JsonObject {
  return {
    type: "object",
    properties: {
      apiVersion: { type: "string", description: "Group and version of this representation, such as v1 or apps/v1." },
      items: { type: "array", items: dialect.ref(itemName), description: "The objects." },
      kind: { type: "string", description: "Kind of this object, such as PodList." },
      metadata: dialect.refWith(`${metaPackage}.ListMeta`, { description: "Metadata of the whole list." }),
    },
    required: ["items"],
  };
}

function kindsByName(resources: readonly ServedResource[]): Map<string, GroupVersionKind[]> {
  const kinds = new Map<string, GroupVersionKind[]>();
  const add = (name: string, { group, version, kind }: GroupVersionKind) => {
    const known = kinds.get(name) ?? [];
    if (!known.some((other) => other.group === group && other.version === version && other.kind === kind)) {
      kinds.set(name, [...known, { group, version, kind }]);
    }
  };
  add(`${metaPackage}.Status`, { group: "", version: "v1", kind: "Status" });
  for (const { type, description, subresources } of resources) {
    add(`${metaPackage}.DeleteOptions`, { ...type, kind: "DeleteOptions" });
    if (description.type === "object") {
      add(description.name, type);
      add(`${description.name}List`, { ...type, kind: `${type.kind}List` });
    }
    for (const subresource of subresources) {
      if (subresource.description?.type === "object") {
        add(subresource.description.name, subresource);
      }
    }
  }
  return kinds;
}
