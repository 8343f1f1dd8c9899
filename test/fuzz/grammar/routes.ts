import type { Client } from "@kintsugi/client";

/** One resource or subresource as discovery lists it. */
export interface ApiRoute {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** "" for the resource itself. */
  readonly subresource: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** Group, version and kind of its bodies: "apps/v1 Deployment". */
  readonly body: string;
}

interface ResourceList {
  readonly groupVersion: string;
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly group?: string;
    readonly version?: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}

/**
 * Lists the routes that discovery currently has. Kinds that a server serves only temporarily are
 * missing once they no longer exist.
 */
export async function discoverRoutes(client: Pick<Client, "call">): Promise<ApiRoute[]> {
  const groups = (await client.call({ method: "GET", path: "/apis" })) as {
    groups: { versions: { groupVersion: string }[] }[];
  };
  const paths = ["/api/v1", ...groups.groups.flatMap(({ versions }) => versions.map((v) => `/apis/${v.groupVersion}`))];
  const lists = await Promise.all(paths.map((path) => client.call({ method: "GET", path }) as Promise<ResourceList>));
  return lists.flatMap((list) => list.resources.map((entry) => routeOf(list.groupVersion, entry)));
}

function routeOf(groupVersion: string, entry: ResourceList["resources"][number]): ApiRoute {
  const [group, version] = splitGroupVersion(groupVersion);
  const [resource = "", ...rest] = entry.name.split("/");
  const kindGroup = entry.group ?? group;
  const kindVersion = entry.version ?? version;
  return {
    group,
    version,
    resource,
    subresource: rest.join("/"),
    namespaced: entry.namespaced,
    verbs: entry.verbs,
    body: `${kindGroup === "" ? "" : `${kindGroup}/`}${kindVersion} ${entry.kind}`,
  };
}

export function splitGroupVersion(text: string): [group: string, version: string] {
  const slash = text.indexOf("/");
  return slash < 0 ? ["", text] : [text.slice(0, slash), text.slice(slash + 1)];
}

/** Paths without a resource, and resources that discovery does not list. */
export const otherPaths: readonly string[] = [
  "/",
  "/api",
  "/apis",
  "/api/v1",
  "/apis/apps",
  "/apis/apps/v1",
  "/version",
  "/healthz",
  "/livez?verbose",
  "/readyz/ping",
  "/metrics",
  "/logs",
  "/debug/pprof",
  "/openapi/v2",
  "/openapi/v3",
  "/openapi/v3/api/v1",
  "/openapi/v3/apis/apps/v1",
  "/apis/kintsugi.dev/v1alpha1/snapshot",
  "/apis/kintsugi.dev/v1alpha1/timeline",
  "/apis/kintsugi.dev/v1alpha1/buscredentials",
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  "/.well-known/openid-configuration",
  "/openid/v1/jwks",
];
