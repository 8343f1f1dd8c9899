import { badRequest } from "@kintsugi/api";
import type { ResourceCall } from "../request/resource-call.ts";
import type { KubeObject } from "../resources/resource.ts";

/** @throws ApiError BadRequest when a patch changed the object's identity. */
export function assertSameIdentity(call: ResourceCall, object: KubeObject): void {
  const { name, namespace } = object.metadata;
  if (name !== call.info.name) {
    throw badRequest(`the name of the object (${name ?? ""}) does not match the name on the URL (${call.info.name})`);
  }
  if ((namespace ?? "") !== call.info.namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}
