import { apiVersionOf } from "@kintsugi/api";
import { type TaggedDocument, taggedDocument } from "../http/tagged-document.ts";
import { compareVersions } from "./compare-versions.ts";
import type { ServedResource, ServedSubresource } from "../resources/served-resource.ts";

/**
 * The documents that list the served kinds for clients. They are made once for each set of served
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
  /** GET /api and /apis in the aggregated form, made at the first request. */
  aggregated(root: Root, version: AggregatedVersion): TaggedDocument;
}

type Root = "api" | "apis";
type AggregatedVersion = "v2" | "v2beta1";

/** A resource or subresource as an APIResourceList has it. */
export interface PlainResource {
  readonly name: string;
  readonly kind: string;
  readonly singularName?: string;
  readonly namespaced?: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** A version of a group that another server serves. */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  /**
   * False while its server does not answer. In this case, the resources are the last known
   * resources.
   */
  readonly isCurrent: boolean;
  readonly resources: readonly PlainResource[];
}

interface GroupVersion {
  group: string;
  version: string;
  resources: ServedResource[];
  remote?: RemoteVersion;
}

export function createDiscovery(
  served: readonly ServedResource[],
  remotes: readonly RemoteVersion[] = [],
): DiscoveryDocuments {
  const versions = groupVersions(served, remotes);
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
      // The other server answers for its own groups.
      return found === undefined || found.remote !== undefined ? undefined : resourceList(found);
    },
    aggregated: keptDocuments((root, version) => ({
      kind: "APIGroupDiscoveryList",
      apiVersion: `apidiscovery.k8s.io/${version}`,
      metadata: {},
      items: (root === "api" ? [""] : groupNames).map((name) => ({
        metadata: { name, creationTimestamp: null },
        versions: versions.filter(({ group }) => group === name).map(aggregatedVersion),
      })),
    })),
  };
}

/** Makes each of the four documents once, because clients read them every 30 s. */
function keptDocuments(make: (root: Root, version: AggregatedVersion) => object): DiscoveryDocuments["aggregated"] {
  const made = new Map<string, TaggedDocument>();
  return (root, version) => {
    const key = `${root} ${version}`;
    let document = made.get(key);
    if (document === undefined) {
      const contentType = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
      document = taggedDocument(contentType, Buffer.from(JSON.stringify(make(root, version))));
      made.set(key, document);
    }
    return document;
  };
}

function groupVersions(served: readonly ServedResource[], remotes: readonly RemoteVersion[]): GroupVersion[] {
  const found = new Map<string, GroupVersion>();
  for (const resource of served) {
    const { group, version } = resource.type;
    const key = apiVersionOf(resource.type);
    const known = found.get(key) ?? { group, version, resources: [] };
    known.resources.push(resource);
    found.set(key, known);
  }
  for (const remote of remotes) {
    const { group, version } = remote;
    found.set(apiVersionOf(remote), { group, version, resources: [], remote });
  }
  // Groups keep their order. The newest version of each group is first, and clients prefer it.
  const places = new Map([...new Set([...found.values()].map(({ group }) => group))].map((group, at) => [group, at]));
  const placeOf = ({ group }: GroupVersion) => places.get(group) ?? 0;
  return [...found.values()].toSorted((a, b) => placeOf(a) - placeOf(b) || compareVersions(a.version, b.version));
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

function aggregatedVersion({ version, resources, remote }: GroupVersion) {
  if (remote === undefined) return { version, freshness: "Current", resources: resources.map(aggregatedResource) };
  const own = remote.resources.filter(({ name }) => !name.includes("/"));
  return {
    version,
    freshness: remote.isCurrent ? "Current" : "Stale",
    resources: own.map((resource) => aggregatedRemote(resource, remote)),
  };
}

function aggregatedRemote(resource: PlainResource, remote: RemoteVersion) {
  const { name, singularName = "", namespaced = false, verbs = [], shortNames = [], categories = [] } = resource;
  const kindOf = ({ group = remote.group, version = remote.version, kind }: PlainResource) => ({
    group,
    version,
    kind,
  });
  const below = remote.resources.filter((each) => each.name.startsWith(`${name}/`));
  return {
    resource: name,
    responseKind: kindOf(resource),
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singularName,
    verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(below.length > 0
      ? {
          subresources: below.map((each) => ({
            subresource: each.name.slice(name.length + 1),
            responseKind: kindOf(each),
            verbs: each.verbs ?? [],
          })),
        }
      : {}),
  };
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
