import { apiVersionOf, type ResourceType, type TypeDescription } from "@kintsugi/api";
import type { DescribeKind } from "../http/body.ts";
import type { ServedResource } from "./served-resource.ts";
import { storeResource } from "./keys.ts";
import { resources } from "./resource-list.ts";
import type { Resource } from "./resource.ts";
import { descriptionsOfEveryGroup, servedResources, transientDescriptions } from "./served.ts";

/** Finds kinds by what a request names. */
export interface Registry {
  readonly resources: readonly Resource[];
  /** By group, version and plural, as in a URL. */
  find(group: string, version: string, resource: string): Resource | undefined;
  findByKind(apiVersion: string, kind: string): Resource | undefined;
  /** By the store's name of a resource: "core/pods". */
  findStored(storeResource: string): Resource | undefined;
  readonly describe: DescribeKind;
  readonly served: readonly ServedResource[];
  /** Whether any kind is served under this group and version. */
  has(group: string, version: string): boolean;
}

export function createRegistry(): Registry {
  const byPath = new Map(resources.map((resource) => [pathOf(resource.type), resource]));
  const byKind = new Map(resources.map((resource) => [kindOf(resource.type), resource]));
  const stored = resources.filter((resource) => resource.view === undefined);
  const byStore = new Map(stored.map((resource) => [storeResource(resource.type), resource]));
  const descriptions = new Map<string, TypeDescription>(resources.map((r) => [kindOf(r.type), r.description]));
  for (const [kind, description] of transientDescriptions) descriptions.set(kind, description);
  const served = servedResources(resources);
  const versions = new Set(served.map(({ type }) => apiVersionOf(type)));
  return {
    resources,
    served,
    find: (group, version, resource) => byPath.get(`${group}/${version}/${resource}`),
    findByKind: (apiVersion, kind) => byKind.get(`${apiVersion} ${kind}`),
    findStored: (name) => byStore.get(name),
    describe: (apiVersion, kind) => descriptions.get(`${apiVersion} ${kind}`) ?? descriptionsOfEveryGroup.get(kind),
    has: (group, version) => versions.has(apiVersionOf({ group, version })),
  };
}

function pathOf(type: ResourceType): string {
  return `${type.group}/${type.version}/${type.resource}`;
}

function kindOf(type: Pick<ResourceType, "group" | "version" | "kind">): string {
  return `${apiVersionOf(type)} ${type.kind}`;
}
