import type { JsonObject } from "@kintsugi/api";
import type { ServedResource } from "../resources/served-resource.ts";
import { openApi2 } from "./document-parts.ts";
import type { DocumentInfo } from "./document-v3.ts";
import { schemasOfResources } from "./kind-schemas.ts";
import { type Operation, operationsOf } from "./operations.ts";
import type { Parameter } from "./parameters.ts";

/** The whole API as OpenAPI 2, which kubectl 1.27 and 1.28 still read. */
export function documentV2(resources: readonly ServedResource[], info: DocumentInfo): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const operation of resources.flatMap(operationsOf)) {
    const item = (paths[operation.path] ??= { parameters: operation.pathParameters.map(writeParameter) });
    item[operation.method] = writeOperation(operation);
  }
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version: info.version },
    paths,
    definitions: schemasOfResources(resources, openApi2),
  };
}

function writeOperation(operation: Operation): JsonObject {
  const { action, id, tag, kind, parameters, body, bodyTypes, answer } = operation;
  const bodyParameter =
    body === undefined
      ? []
      : [{ name: "body", in: "body", required: !action.startsWith("delete"), schema: openApi2.ref(body) }];
  return {
    tags: [tag],
    operationId: id,
    consumes: action === "patch" ? [...bodyTypes] : ["*/*"],
    produces: answer === undefined ? ["text/plain"] : ["application/json"],
    parameters: [...bodyParameter, ...parameters.map(writeParameter)],
    responses: {
      "200": { description: "OK", schema: answer === undefined ? { type: "string" } : openApi2.ref(answer) },
      "401": { description: "Unauthorized" },
    },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { ...kind },
  };
}

function writeParameter({ name, in: place, type, description }: Parameter): JsonObject {
  return { name, in: place, type, description, uniqueItems: true, ...(place === "path" && { required: true }) };
}
