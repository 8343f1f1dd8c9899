import type { CustomResourceDefinitionVersion, JsonObject } from "@kintsugi/api";
import { simplePath, valueAt } from "@kintsugi/structural-schemas";
import type { KubeObject } from "../resources/resource.ts";

type ReadField = (object: KubeObject) => string | undefined;

/** The fields by which these versions can be selected: "spec.color" for the path ".spec.color". */
export function selectableFields(
  versions: readonly CustomResourceDefinitionVersion[],
): Record<string, ReadField> | undefined {
  const paths = versions.flatMap(({ selectableFields: fields = [] }) => fields.map(({ jsonPath }) => jsonPath));
  if (paths.length === 0) return undefined;
  return Object.fromEntries(paths.map((path) => [path.replace(/^\./, ""), readerOf(path)]));
}

function readerOf(path: string): ReadField {
  const names = simplePath(path);
  return (object) => {
    const value = names === undefined ? undefined : valueAt(object as unknown as JsonObject, names);
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : undefined;
  };
}
