import { groupVersionPath, isApiError, type ResourceType } from "@kintsugi/api";
import type { Client } from "../client.ts";

/** A kind as a server lists it. */
export interface DiscoveredType extends ResourceType {
  /** "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch". */
  readonly verbs: readonly string[];
}

export interface Discovery {
  /** Each resource once, in the version that its group prefers. */
  readonly types: readonly DiscoveredType[];
  /** Groups whose server did not answer. Their kinds are unknown, so they may exist. */
  readonly unknownGroups: readonly string[];
}

/**
 * Servers from 1.27 on answer with all groups in one response. Older servers are read group by
 * group, by the requests in the rest of this file.
 */
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/** Returns the kinds that the server serves at this moment. @throws ApiError, ConnectionError */
export function discoverTypes(client: Pick<Client, "call">, signal: AbortSignal): Promise<Discovery> {
  return new TypeDiscovery(client).read(signal);
}

/** An answer with the ETag by which the server reports that the answer has not changed. */
interface KnownAnswer {
  readonly tag: string;
  readonly answer: RootAnswer;
}

/**
 * Reads the served kinds repeatedly. A server answers without a body while the kinds are unchanged.
 */
export class TypeDiscovery {
  readonly #client: Pick<Client, "call">;
  readonly #known = new Map<string, KnownAnswer>();
  #last: Discovery | undefined;

  constructor(client: Pick<Client, "call">) {
    this.#client = client;
  }

  /**
   * Returns the kinds that the server currently serves; the same object while the kinds are
   * unchanged.
   * @throws ApiError, ConnectionError
   */
  async read(signal: AbortSignal): Promise<Discovery> {
    const answers: RootAnswer[] = [];
    let isChanged = this.#last === undefined;
    for (const path of ["/api", "/apis"]) {
      const known = this.#known.get(path);
      const answer = await this.#readRoot(path, known?.tag, signal);
      if (answer === undefined && known === undefined) throw new Error(`GET ${path} had no body`);
      isChanged ||= answer !== undefined;
      answers.push(answer ?? (known as KnownAnswer).answer);
    }
    if (isChanged || this.#last === undefined) this.#last = await typesOf(answers, this.#client, signal);
    return this.#last;
  }

  async #readRoot(path: string, tag: string | undefined, signal: AbortSignal): Promise<RootAnswer | undefined> {
    let newTag: string | undefined;
    const onHeaders = (headers: Readonly<Record<string, string>>) => (newTag = headers["etag"]);
    const request = { method: "GET", path, accept: aggregated, ifNoneMatch: tag, onHeaders, signal } as const;
    const answer = (await this.#client.call(request)) as RootAnswer | undefined;
    // Only the aggregated form is complete. The other form needs more requests, which do not
    // support ETags.
    if (answer !== undefined && newTag !== undefined && answer.kind === "APIGroupDiscoveryList") {
      this.#known.set(path, { tag: newTag, answer });
    } else if (answer !== undefined) this.#known.delete(path);
    return answer;
  }
}

async function typesOf(
  answers: readonly RootAnswer[],
  client: Pick<Client, "call">,
  signal: AbortSignal,
): Promise<Discovery> {
  const found: Found = { types: [], unknownGroups: [], names: new Set() };
  for (const answer of answers) {
    if (answer.kind === "APIGroupDiscoveryList") {
      for (const group of answer.items ?? []) addAggregated(found, group);
    } else {
      for (const version of versionsOf(answer)) await addVersion(found, client, { ...version, signal });
    }
  }
  return { types: found.types, unknownGroups: [...new Set(found.unknownGroups)] };
}

interface Found {
  types: DiscoveredType[];
  unknownGroups: string[];
  /** "group/resource" of resources that a preferred version has already named. */
  names: Set<string>;
}

interface RootAnswer {
  kind?: string;
  /** The field of an APIGroupDiscoveryList. */
  items?: AggregatedGroup[];
  /** The field of an APIVersions. */
  versions?: string[];
  /** The field of an APIGroupList. */
  groups?: { name?: string; versions?: { version?: string }[]; preferredVersion?: { version?: string } }[];
}

interface AggregatedGroup {
  metadata?: { name?: string };
  versions?: { version?: string; freshness?: string; resources?: AggregatedResource[] }[];
}

interface AggregatedResource {
  resource?: string;
  responseKind?: { group?: string; version?: string; kind?: string };
  scope?: string;
  singularResource?: string;
  shortNames?: string[];
  categories?: string[];
  verbs?: string[];
}

function addAggregated(found: Found, { metadata, versions = [] }: AggregatedGroup): void {
  const group = metadata?.name ?? "";
  // The preferred version is first.
  for (const { version = "", freshness, resources = [] } of versions) {
    if (freshness === "Stale") found.unknownGroups.push(group);
    for (const { resource = "", responseKind, scope, singularResource = "", ...more } of resources) {
      const { shortNames = [], categories = [], verbs = [] } = more;
      const kind = responseKind?.kind ?? "";
      const namespaced = scope === "Namespaced";
      add(found, {
        group,
        version,
        resource,
        singular: singularResource,
        kind,
        namespaced,
        shortNames,
        categories,
        verbs,
      });
    }
  }
}

interface GroupVersion {
  group: string;
  version: string;
}

function versionsOf({ versions = [], groups = [] }: RootAnswer): GroupVersion[] {
  const core = versions.map((version) => ({ group: "", version }));
  const others = groups.flatMap(({ name = "", versions: all = [], preferredVersion }) => {
    const preferred = preferredVersion?.version;
    const names = all.map(({ version = "" }) => version);
    const inOrder = preferred === undefined ? names : [preferred, ...names.filter((version) => version !== preferred)];
    return inOrder.map((version) => ({ group: name, version }));
  });
  return [...core, ...others];
}

interface ListedResource {
  name?: string;
  singularName?: string;
  namespaced?: boolean;
  kind?: string;
  verbs?: string[];
  shortNames?: string[];
  categories?: string[];
}

async function addVersion(
  found: Found,
  client: Pick<Client, "call">,
  { group, version, signal }: GroupVersion & { signal: AbortSignal },
): Promise<void> {
  let listed: ListedResource[];
  try {
    const answer = await client.call({ method: "GET", path: groupVersionPath({ group, version }), signal });
    listed = (answer as { resources?: ListedResource[] }).resources ?? [];
  } catch (error) {
    if (!isApiError(error)) throw error;
    // Another server, which may be down, may serve the group.
    found.unknownGroups.push(group);
    return;
  }
  for (const { name = "", singularName = "", namespaced = false, kind = "", ...more } of listed) {
    const { verbs = [], shortNames = [], categories = [] } = more;
    if (name.includes("/")) continue;
    add(found, {
      group,
      version,
      resource: name,
      singular: singularName,
      kind,
      namespaced,
      shortNames,
      categories,
      verbs,
    });
  }
}

function add(found: Found, type: DiscoveredType): void {
  const name = `${type.group}/${type.resource}`;
  if (type.resource === "" || type.kind === "" || found.names.has(name)) return;
  found.names.add(name);
  found.types.push(type);
}
