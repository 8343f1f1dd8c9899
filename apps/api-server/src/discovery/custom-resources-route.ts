import { jsonResponse } from "../http/api-request.ts";
import { methodNotAllowed } from "../http/refusals.ts";
import type { SpecialRoute } from "../routes.ts";

const group = "apiextensions.k8s.io";
const resource = "customresourcedefinitions";

/**
 * There are no custom resources here, and kubectl is told so: before it says that it does not know a kind, it asks whether
 * a definition was just made, and anything but a list would hide its own, better sentence.
 */
export function createCustomResourcesRoute(): SpecialRoute {
  return (_request, info) => {
    if (info.group !== group || info.version !== "v1" || info.resource !== resource || info.name !== "")
      return undefined;
    if (info.method !== "GET") throw methodNotAllowed();
    const metadata = { resourceVersion: "1" };
    return jsonResponse(200, { kind: "CustomResourceDefinitionList", apiVersion: `${group}/v1`, metadata, items: [] });
  };
}
