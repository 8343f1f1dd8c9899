import { badRequest, type JsonObject } from "@kintsugi/api";
import type { ResourceCall } from "./resource-call.ts";
import type { FieldValidation } from "./write-options.ts";
import { valuesMaxOf } from "../http/bodies/body-limits.ts";
import { assertBodySize, parseCborApply } from "../http/body.ts";
import { parseJsonAsYaml, parseYamlBody } from "../http/yaml-body.ts";
import { isJsonObject } from "../json-value.ts";

/**
 * Parses the object of an apply, written as YAML, which includes JSON, or as CBOR. Duplicate keys
 * of a YAML map are rejected or added to `warnings`, by the request's field validation.
 * @throws ApiError BadRequest
 */
export function parseApplyBody(
  { request, resource, warnings }: Pick<ResourceCall, "request" | "resource" | "warnings">,
  fieldValidation: FieldValidation,
): JsonObject {
  const ofCbor = parseCborApply(request, valuesMaxOf(resource.kind));
  if (ofCbor !== undefined) {
    request.trail?.requestObject(ofCbor);
    return ofCbor;
  }
  const bytes = request.body ?? new Uint8Array();
  assertBodySize(bytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const { value, duplicates } =
    parseJsonAsYaml(text, valuesMaxOf(resource.kind)) ?? parseYamlBody(text, "error decoding YAML: ");
  if (duplicates.length > 0 && fieldValidation !== "Ignore") {
    const fault = `error converting YAML to JSON: yaml: unmarshal errors:\n${duplicates.map((one) => `  ${one}`).join("\n")}`;
    if (fieldValidation === "Strict") throw badRequest(`error strict decoding YAML: ${fault}`);
    warnings.push(fault);
  }
  request.trail?.requestObject(value);
  if (value === null) return {};
  if (!isJsonObject(value)) throw badRequest("error decoding YAML: error unmarshaling JSON: the body is not an object");
  return value;
}
