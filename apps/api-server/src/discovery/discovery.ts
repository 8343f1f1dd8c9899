import { apiVersionOf } from "@kintsugi/api";
import { compareVersions } from "./compare-versions.ts";
import type { ServedResource, ServedSubresource } from "../resources/served-resource.ts";

/**
 * The documents from which clients learn which kinds are served. Pure: made once from the served
 * kinds.
 */
export interface DiscoveryDocuments {
  /** GET /api. */
  coreVersions: unknown;
  /** GET /apis. */
  groups: unknown;
  /** GET /apis/<group>. */
  group(name: string): unknown;
  /** GET /api/v1 and /apis/<group>/<version>. */
  resources(group: string, version: string): unknown;
  /** GET /api and /apis in the aggregated form. */
  aggregated(root: "api" | "apis", version: "v2" | "v2beta1"): unknown;
}

interface GroupVersion {
  group: string;
  version: string;
  resources: ServedResource[];
}

export function createDiscovery(served: readonly ServedResource[]): DiscoveryDocuments {
  const versions = groupVersions(served);
  const groupNames = [...new Set(versions.map(({ group }) => group))].filter((group) => group !== "");
  const groupOf = (name: string) =>
    apiGroup(
      name,
      versions.filter(({ group }) => group === name),
    );
  return {
    coreVersions: { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] },
    groups: { kind: "APIGroupList", apiVersion: "v1", groups: groupNames.map((name) => groupOf(name)) },
    group: (name) => (groupNames.includes(name) ? { kind: "APIGroup", apiVersion: "v1", ...groupOf(name) } : undefined),
    resources: (group, version) => {
      const found = versions.find((candidate) => candidate.group === group && candidate.version === version);
      return found === undefined ? undefined : resourceList(found);
    },
    aggregated: (root, version) => ({
      kind: "APIGroupDiscoveryList",
      apiVersion: `apidiscovery.k8s.io/${version}`,
      metadata: {},
      items: (root === "api" ? [""] : groupNames).map((name) => ({
        metadata: { name, creationTimestamp: null },
        versions: versions.filter(({ group }) => group === name).map(aggregatedVersion),
      })),
    }),
  };
}

function groupVersions(served: readonly ServedResource[]): GroupVersion[] {
  const found = new Map<string, GroupVersion>();
  for (const resource of served) {
    const { group, version } = resource.type;
    const key = apiVersionOf(resource.type);
    const known = found.get(key) ?? { group, version, resources: [] };
    known.resources.push(resource);
    found.set(key, known);
  }
  // Groups stay in their order; the newest version of each stands first, which clients prefer.
  return [...found.values()].toSorted((a, b) => (a.group === b.group ? compareVersions(a.version, b.version) : 0));
}

function apiGroup(name: string, versions: readonly GroupVersion[]) {
  const all = versions.map(({ version }) => ({ groupVersion: apiVersionOf({ group: name, version }), version }));
  return { name, versions: all, preferredVersion: all[0] };
}

function resourceList({ group, version, resources }: GroupVersion) {
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: apiVersionOf({ group, version }),
    resources: resources.flatMap((resource) => [
      plainResource(resource),
      ...resource.subresources.map((subresource) => plainSubresource(resource, subresource)),
    ]),
  };
}

function plainResource({ type, verbs }: ServedResource) {
  return {
    name: type.resource,
    singularName: type.singular,
    namespaced: type.namespaced,
    kind: type.kind,
    verbs,
    ...(type.shortNames.length > 0 ? { shortNames: type.shortNames } : {}),
    ...(type.categories.length > 0 ? { categories: type.categories } : {}),
  };
}

function plainSubresource({ type }: ServedResource, subresource: ServedSubresource) {
  const sameGroup = subresource.group === type.group && subresource.version === type.version;
  return {
    name: `${type.resource}/${subresource.name}`,
    singularName: "",
    namespaced: type.namespaced,
    ...(sameGroup ? {} : { group: subresource.group, version: subresource.version }),
    kind: subresource.kind,
    verbs: subresource.verbs,
  };
}

function aggregatedVersion({ version, resources }: GroupVersion) {
  return { version, freshness: "Current", resources: resources.map(aggregatedResource) };
}

function aggregatedResource({ type, verbs, subresources }: ServedResource) {
  return {
    resource: type.resource,
    responseKind: { group: type.group, version: type.version, kind: type.kind },
    scope: type.namespaced ? "Namespaced" : "Cluster",
    singularResource: type.singular,
    verbs,
    ...(type.shortNames.length > 0 ? { shortNames: type.shortNames } : {}),
    ...(type.categories.length > 0 ? { categories: type.categories } : {}),
    ...(subresources.length > 0
      ? {
          subresources: subresources.map(({ name, group, version, kind, verbs: subverbs }) => ({
            subresource: name,
            responseKind: { group, version, kind },
            verbs: subverbs,
          })),
        }
      : {}),
  };
}
