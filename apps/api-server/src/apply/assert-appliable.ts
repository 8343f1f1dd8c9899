import { apiVersionOf, badRequest, type JsonObject } from "@kintsugi/api";
import { type Decodable, textOf } from "../request/decode-object.ts";
import { assertTyped } from "./validate-applied.ts";
import { isJsonObject } from "../json-value.ts";

/**
 * Rejects an applied object that is invalid by itself, before the stored object is read, in
 * upstream's order and words.
 * @throws ApiError
 */
export function assertAppliable(applied: JsonObject, as: Pick<Decodable<unknown>, "type" | "description">): void {
  const { apiVersion = "", kind = "", metadata } = applied;
  if (apiVersion !== apiVersionOf(as.type) || kind !== as.type.kind) {
    throw badRequest(`invalid object type: ${groupVersion(textOf(apiVersion))}, Kind=${textOf(kind)}`);
  }
  const { managedFields = null, namespace = "", name = "" } = isJsonObject(metadata) ? metadata : {};
  if (managedFields !== null) throw badRequest("metadata.managedFields must be nil");
  const called = `${textOf(namespace)}/${textOf(name)}; ${groupVersion(apiVersionOf(as.type))}, Kind=${as.type.kind}`;
  assertTyped(applied, { type: as.description }, called);
}

/** Writes a group and version as Go does: the core group is an empty string before the slash. */
function groupVersion(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
}
