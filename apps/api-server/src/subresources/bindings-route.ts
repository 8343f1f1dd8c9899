import { bindings, pods } from "@kintsugi/api";
import { negotiate } from "../http/negotiate.ts";
import { methodNotAllowed } from "../http/refusals.ts";
import type { SpecialRoute } from "../routes.ts";
import type { ServerContext } from "../server-context.ts";
import { createBinding } from "./binding.ts";

/** POST /api/v1/namespaces/{namespace}/bindings: as pods/{name}/binding, with the pod's name in the body. */
export function createBindingsRoute(context: ServerContext): SpecialRoute {
  return (request, info, user) => {
    if (!info.isResource || info.group !== "" || info.version !== "v1" || info.resource !== bindings.resource)
      return undefined;
    if (info.verb !== "create" || info.name !== "" || info.namespace === "") throw methodNotAllowed();
    const form = negotiate(request.headers["accept"], false);
    const resource = context.registry.get(pods);
    return createBinding(context, { request, info, user, resource, form, warnings: [] });
  };
}
