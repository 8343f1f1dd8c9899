import { internalError } from "@kintsugi/api";
import * as z from "zod";
import { requestedBy } from "../admission/requested-by.ts";
import { decodeLeft } from "../request/decode-left.ts";
import { isTrue } from "../request/request-info.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import type { KubeObject } from "../resources/resource.ts";
import type { ServerContext } from "../server-context.ts";
import { admitRequest } from "./commit-admitted.ts";

const shape = {
  kind: z.string().optional(),
  apiVersion: z.string().optional(),
  // Steps expect every object to have metadata, but options have no metadata.
  metadata: z.object({}).default({}),
};
const streams = {
  stdin: z.boolean().optional(),
  stdout: z.boolean().optional(),
  stderr: z.boolean().optional(),
  tty: z.boolean().optional(),
  container: z.string().optional(),
};

const PodExecOptions = z.object({ ...shape, ...streams, command: z.array(z.string()).optional() });
const PodAttachOptions = z.object({ ...shape, ...streams });
// Ports are forwarded unchanged. The kubelet checks them, and rejects invalid ports.
const PodPortForwardOptions = z.object({ ...shape, ports: z.array(z.string()).optional() });
const ProxyOptions = z.object({ ...shape, path: z.string().optional() });

const kinds = {
  PodExecOptions,
  PodAttachOptions,
  PodPortForwardOptions,
  NodeProxyOptions: ProxyOptions,
  PodProxyOptions: ProxyOptions,
  ServiceProxyOptions: ProxyOptions,
};

type OptionsKind = keyof typeof kinds;
type OptionsOf<K extends OptionsKind> = z.infer<(typeof kinds)[K]>;

/**
 * Admits a connection: upstream's CONNECT, whose object is the options of the query. Its steps may
 * change them.
 * @throws ApiError
 */
export async function admitConnect<K extends OptionsKind>(
  context: ServerContext,
  call: ResourceCall,
  connection: { kind: K; options: OptionsOf<K> },
): Promise<OptionsOf<K>> {
  const { info, resource } = call;
  const type = { group: "", version: "v1", kind: connection.kind };
  const schema = kinds[connection.kind];
  const { object } = await admitRequest(context, call, {
    request: {
      operation: "connect",
      ...requestedBy(call),
      resource,
      subresource: info.subresource,
      namespace: info.namespace,
      name: info.name,
      object: { ...connection.options, apiVersion: "v1", kind: connection.kind } as KubeObject,
      before: undefined,
      dryRun: false,
      reader: context.store,
    },
    adopt: (left) => decodeLeft(left, { type, schema, description: { type: "any" } }) as KubeObject,
  });
  return object as OptionsOf<K>;
}

/** The options of exec and attach, from their query. */
export function streamOptionsOf({ info: { query } }: ResourceCall): OptionsOf<"PodExecOptions"> {
  const flag = (name: string): boolean | undefined => {
    const value = query.get(name);
    return value === null ? undefined : isTrue(value);
  };
  return {
    metadata: {},
    stdin: flag("stdin"),
    stdout: flag("stdout"),
    stderr: flag("stderr"),
    tty: flag("tty"),
    container: query.get("container") ?? "",
    command: query.getAll("command"),
  };
}

/**
 * Admits a request to a server behind a proxy.
 * @throws ApiError
 */
export async function admitProxy(
  context: ServerContext,
  call: ResourceCall,
  kind: "NodeProxyOptions" | "PodProxyOptions" | "ServiceProxyOptions",
): Promise<void> {
  const path = call.info.behindProxy?.path ?? "";
  const admitted = await admitConnect(context, call, { kind, options: { metadata: {}, path } });
  // Links in the answer are rewritten with the path that the client uses.
  if (admitted.path !== path) throw internalError("the path behind a proxy cannot be changed by admission");
}
