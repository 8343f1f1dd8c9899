import { notFound } from "@kintsugi/api";
import type { BuiltInResource } from "../built-in-route.ts";
import { jsonResponse } from "../http/api-request.ts";

const type = {
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  namespaced: false,
} as const;

/**
 * There are no custom resources here, and kubectl gets an empty list of them: before it reports
 * that it does not know a kind, it checks whether a definition was just made, and any other answer
 * would hide its own, better message.
 */
export function createCustomResourcesRoute(): BuiltInResource {
  const metadata = { resourceVersion: "1" };
  const empty = {
    kind: "CustomResourceDefinitionList",
    apiVersion: `${type.group}/${type.version}`,
    metadata,
    items: [],
  };
  return {
    type,
    verbs: {
      list: () => jsonResponse(200, empty),
      get: (_request, info) => {
        throw notFound(type, info.name);
      },
    },
  };
}
