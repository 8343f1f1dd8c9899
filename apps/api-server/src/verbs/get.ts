import { notFound } from "@kintsugi/api";
import type { ApiResponse } from "../http/api-request.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { readFreshness } from "../request/resource-version.ts";
import { storeKey } from "../resources/keys.ts";
import { storedResource } from "../resources/requested-form.ts";
import type { ServerContext } from "../server-context.ts";
import { entryResponse } from "../answers/object-response.ts";

export function get(context: ServerContext, call: ResourceCall): ApiResponse | Promise<ApiResponse> {
  const { info, resource } = call;
  readFreshness(info.query, context.store.revision());
  const entry = context.store.find(storeKey(storedResource(resource).type, info.namespace, info.name));
  if (entry === undefined) throw notFound(resource.type, info.name);
  return entryResponse(context, call, { status: 200, entry });
}
