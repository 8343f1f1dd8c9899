import type { RequestInfo } from "../request/request-info.ts";
import { perGeneration, type Registry } from "../resources/registry.ts";

/** The labels of a request that name its resource. */
interface ResourceLabels {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A resource with the subresources that are served below it. */
export interface NamedResource {
  readonly labels: ResourceLabels;
  readonly subresources: ReadonlySet<string>;
}

/**
 * Finds the resource that a request names. Undefined for names that are not registered, because any
 * client can invent them, even without credentials.
 */
export type FindNames = (info: RequestInfo) => NamedResource | undefined;

/** A version of a group that another server serves. */
interface RemoteVersion {
  readonly group: string;
  readonly version: string;
}

export interface NameSources {
  readonly registry: Pick<Registry, "served" | "generation">;
  /** Resources that have their own routes. Discovery may lack some of these resources. */
  readonly builtIn: readonly { readonly type: ResourceLabels }[];
  /** Finds the remote server of a version, by "group/version". */
  readonly findRemote: (groupVersion: string) => RemoteVersion | undefined;
}

/**
 * The labels name this server's resources, and of other servers only the groups, because this
 * server does not have a list of their resources.
 */
export function createFindNames({ registry, builtIn, findRemote }: NameSources): FindNames {
  const served = perGeneration(
    registry,
    () =>
      new Map([
        ...builtIn.map(({ type }) => named(type, [])),
        ...registry.served.map(({ type, subresources }) => named(type, subresources)),
      ]),
  );
  const remotes = new WeakMap<RemoteVersion, NamedResource>();
  return (info) => {
    if (!info.isResource) return undefined;
    const { group, version, resource, subresource } = info;
    const own = served().get(`${group}/${version}/${resource}`);
    if (own !== undefined) return subresource === "" || own.subresources.has(subresource) ? own : undefined;
    const remote = findRemote(`${group}/${version}`);
    if (remote === undefined) return undefined;
    const known = remotes.get(remote) ?? named({ ...remote, resource: "" }, [])[1];
    remotes.set(remote, known);
    return known;
  };
}

function named(
  { group, version, resource }: ResourceLabels,
  subresources: readonly { readonly name: string }[],
): [string, NamedResource] {
  const labels = { group, version, resource };
  return [`${group}/${version}/${resource}`, { labels, subresources: new Set(subresources.map(({ name }) => name)) }];
}
