import { bindings } from "@kintsugi/api";
import { podResource } from "../resources/kinds/pod.ts";
import type { BuiltInResource } from "../built-in-route.ts";
import type { ServerContext } from "../server-context.ts";
import { createBinding } from "./binding.ts";

/** POST /api/v1/namespaces/{namespace}/bindings: as pods/{name}/binding, with the pod's name in the body. */
export function createBindingsRoute(context: ServerContext): BuiltInResource {
  const call = { resource: podResource, form: { as: "object" } } as const;
  return {
    type: bindings,
    verbs: {
      create: (request, info, user) => createBinding(context, { ...call, request, info, user, warnings: [] }),
    },
  };
}
