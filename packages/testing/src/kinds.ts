import { type ApiObject, builtInKinds, type ResourceType } from "@kintsugi/api";

/**
 * The kinds that every cluster serves, by their plurals: `kinds.pods`. If two groups have the same
 * plural, the key of the second also includes its group: `kinds["events.events.k8s.io"]`.
 */
export const kinds: Readonly<Record<string, ResourceType>> = byPlural(builtInKinds.map(({ type }) => type));

/** The names of a custom kind. */
interface KindNames {
  /** "example.com/v1" */
  apiVersion: string;
  /** "Widget" */
  kind: string;
  /** "widgets" */
  plural: string;
  /** Default true. */
  namespaced?: boolean;
}

/** Names a custom kind for a client. @throws TypeError when its version has no group. */
export function kindNamed<T extends ApiObject = ApiObject>(names: KindNames): ResourceType<T> {
  const { apiVersion, kind, plural, namespaced = true } = names;
  const [group = "", version] = apiVersion.split("/");
  if (group === "" || version === undefined || version === "")
    throw new TypeError(`${JSON.stringify(apiVersion)} is not a group and version, such as "example.com/v1"`);
  const singular = kind.toLowerCase();
  return { group, version, kind, resource: plural, singular, namespaced, shortNames: [], categories: [] };
}

function byPlural(types: readonly ResourceType[]): Record<string, ResourceType> {
  const found: Record<string, ResourceType> = {};
  for (const type of types) {
    const { resource, group } = type;
    found[Object.hasOwn(found, resource) ? `${resource}.${group}` : resource] ??= type;
  }
  return found;
}
