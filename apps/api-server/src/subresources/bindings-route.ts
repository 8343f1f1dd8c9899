import { bindings, pods } from "@kintsugi/api";
import type { BuiltInResource } from "../built-in-route.ts";
import { negotiate } from "../http/negotiate.ts";
import type { ServerContext } from "../server-context.ts";
import { createBinding } from "./binding.ts";

/**
 * POST /api/v1/namespaces/{namespace}/bindings: like pods/{name}/binding, with the pod's name in
 * the body.
 */
export function createBindingsRoute(context: ServerContext): BuiltInResource {
  return {
    type: bindings,
    verbs: {
      create: (request, info, user) => {
        const form = negotiate(request.headers["accept"], context.encodings.offers.posted);
        const resource = context.registry.get(pods);
        const deadlineMs = context.clock.monotonicMs() + context.options.requestTimeoutMs;
        return createBinding(context, {
          request,
          info,
          user,
          resource,
          form,
          warnings: [],
          deadlineMs,
        });
      },
    },
  };
}
