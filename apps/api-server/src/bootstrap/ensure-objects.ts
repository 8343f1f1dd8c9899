import { isApiError } from "@kintsugi/api";
import type { UserInfo } from "../authorization/authorization.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";
import { storeKey } from "../resources/keys.ts";
import { parseRequestInfo } from "../request/request-info.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import type { ServerContext } from "../server-context.ts";
import { create } from "../verbs/create.ts";

/** The server itself, as upstream's loopback client. */
const serverUser: UserInfo = { name: "system:apiserver", groups: ["system:masters", "system:authenticated"] };

/**
 * Creates the objects that do not exist yet and leaves existing objects unchanged. The creates
 * start in order but without waiting for each other, so that they share a commit. Seventy creates
 * that wait for the disk one by one would take a tenth of a second of every first start.
 */
export async function ensureObjects(context: ServerContext, objects: readonly KubeObject[]): Promise<void> {
  await Promise.all(objects.map((object) => ensureObject(context, object)));
}

/** Creates one object if it does not exist yet. */
export async function ensureObject(context: ServerContext, object: KubeObject): Promise<void> {
  const resource = context.registry.findByKind(object.apiVersion ?? "", object.kind ?? "");
  if (resource === undefined) throw new Error(`cannot create ${object.kind}: no such kind is served`);
  const { name = "", namespace = "" } = object.metadata;
  if (context.store.find(storeKey(resource.type, namespace, name)) !== undefined) return;
  try {
    await create(context, serverCall(context, resource, { method: "POST", object }));
  } catch (error) {
    if (!isApiError(error, "AlreadyExists")) throw error;
  }
}

/** A request that the server makes to itself. */
export function serverCall(
  { clock, options }: Pick<ServerContext, "clock" | "options">,
  resource: Resource,
  { method, object, subresource = "" }: { method: "POST" | "PUT"; object: KubeObject; subresource?: string },
): ResourceCall {
  const { type } = resource;
  const { name = "", namespace = "" } = object.metadata;
  const prefix = type.group === "" ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const collection = `${prefix}${namespace === "" ? "" : `/namespaces/${namespace}`}/${type.resource}`;
  const below = subresource === "" ? "" : `/${subresource}`;
  const path = method === "POST" ? collection : `${collection}/${name}${below}`;
  return {
    request: {
      method,
      path,
      headers: { "user-agent": "kintsugi-api-server" },
      body: Buffer.from(JSON.stringify(object)),
      signal: new AbortController().signal,
    },
    info: parseRequestInfo(method, path),
    user: serverUser,
    resource,
    form: { as: "object" },
    warnings: [],
    deadlineMs: clock.monotonicMs() + options.requestTimeoutMs,
    isServers: true,
  };
}
