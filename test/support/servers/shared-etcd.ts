import { configMaps, type ResourceType } from "@kintsugi/api";
import { type ApiServerProcess, prepareApiServer } from "./api-server-process.ts";

/** The namespace of the objects of tests on servers that share an etcd. */
export const sharedNamespace = "shared";

export interface OnEtcdOptions {
  /** Addresses of etcd's members as `host:port`. */
  endpoints: readonly string[];
  prefix: string;
  /** A server whose certificates this server shares. */
  beside?: ApiServerProcess;
  /** Additional flags. */
  args?: readonly string[];
}

/** Prepares a server that stores its objects in an etcd without TLS, below a prefix. */
export function prepareOnEtcd(options: OnEtcdOptions): Promise<ApiServerProcess> {
  const { beside, args = [], endpoints, prefix } = options;
  const servers = endpoints.map((endpoint) => `http://${endpoint}`).join(",");
  return prepareApiServer({ beside, args: [`--etcd-servers=${servers}`, `--etcd-prefix=${prefix}`, ...args] });
}

export function putShared({ client }: ApiServerProcess, name: string, value: string) {
  return client.create(configMaps, { metadata: { namespace: sharedNamespace, name }, data: { value } });
}

/** Reads an object without a resourceVersion, as text. @throws as the client does. */
export async function readShared(
  { client }: ApiServerProcess,
  name: string,
  type: ResourceType = configMaps,
): Promise<string> {
  const path = `/api/v1/namespaces/${sharedNamespace}/${type.resource}/${name}`;
  return JSON.stringify(await client.call({ method: "GET", path }));
}

/** Reports whether the server answers its readiness within a second. */
export function isServerReady({ client }: ApiServerProcess): Promise<boolean> {
  return client.call({ method: "GET", path: "/readyz", timeoutMs: 1_000 }).then(
    () => true,
    () => false,
  );
}
