import type { JsonObject } from "@kintsugi/api";
import type { ServedResource } from "../resources/served-resource.ts";
import { openApi3 } from "./document-parts.ts";
import { schemasOfResources } from "./kind-schemas.ts";
import { type Operation, operationsOf } from "./operations.ts";
import type { Parameter } from "./parameters.ts";

export interface DocumentInfo {
  readonly version: string;
}

/** One group's version as OpenAPI 3. */
export function documentV3(resources: readonly ServedResource[], info: DocumentInfo): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const operation of resources.flatMap(operationsOf)) {
    const item = (paths[operation.path] ??= { parameters: operation.pathParameters.map(writeParameter) });
    item[operation.method] = writeOperation(operation);
  }
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: info.version },
    paths,
    components: { schemas: schemasOfResources(resources, openApi3) },
  };
}

function writeOperation(operation: Operation): JsonObject {
  const { action, id, tag, kind, parameters, body, bodyTypes, answer } = operation;
  const content =
    answer === undefined
      ? { "text/plain": { schema: { type: "string" } } }
      : { "application/json": { schema: openApi3.ref(answer) } };
  return {
    tags: [tag],
    operationId: id,
    parameters: parameters.map(writeParameter),
    ...(body !== undefined && { requestBody: writeBody(body, bodyTypes, action.startsWith("delete")) }),
    responses: { "200": { description: "OK", content }, "401": { description: "Unauthorized" } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { ...kind },
  };
}

/** A delete may be sent without options. */
function writeBody(schemaName: string, types: readonly string[], optional: boolean): JsonObject {
  const content = Object.fromEntries(types.map((type) => [type, { schema: openApi3.ref(schemaName) }]));
  return optional ? { content } : { content, required: true };
}

function writeParameter({ name, in: place, type, description }: Parameter): JsonObject {
  return {
    name,
    in: place,
    description,
    schema: { type, uniqueItems: true },
    ...(place === "path" && { required: true }),
  };
}
