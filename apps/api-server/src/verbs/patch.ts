import { type JsonObject, type JsonValue, notFound } from "@kintsugi/api";
import type { ApiResponse } from "../http/api-request.ts";
import { valuesMaxOf } from "../http/bodies/body-limits.ts";
import { type ChangingPatchType, parsePatchBody, patchTypeOf, patchTypesOf } from "../http/body.ts";
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch } from "../patch/index.ts";
import { decodeObject } from "../request/decode-object.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { assertNotForced, readWriteOptions } from "../request/write-options.ts";
import { storeKey } from "../resources/keys.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";
import { storedResource } from "../resources/requested-form.ts";
import type { ServerContext } from "../server-context.ts";
import { apply } from "./apply.ts";
import { commitAdmitted } from "../writes/commit-admitted.ts";
import { entryResponse } from "../answers/object-response.ts";
import { ObjectUpdate } from "../writes/object-update.ts";
import { assertSameIdentity } from "../writes/same-identity.ts";
import { updateOperations, urgencyOf } from "./update.ts";

/**
 * PATCH is applied to the stored object when the write's batch is formed, so a patch without a
 * resourceVersion never conflicts.
 */
export async function patch(context: ServerContext, call: ResourceCall): Promise<ApiResponse> {
  const { info } = call;
  const type = patchTypeOf(call.request, patchTypesOf(call.resource.kind, context.encodings));
  if (type === "apply") return apply(context, call);
  assertNotForced(info);
  const body = { type, patch: parsePatchBody(call.request, valuesMaxOf(call.resource.kind)) };
  const options = readWriteOptions(call.request, info);
  const resource = storedResource(call.resource);
  const target = {
    key: storeKey(resource.type, info.namespace, info.name),
    resource,
    dryRun: options.dryRun,
    ...urgencyOf(resource, info),
  };
  const next = (before: KubeObject): KubeObject => {
    const served = call.resource.view === undefined ? before : call.resource.view.fromStored(before);
    const patched = applyPatch(call.resource, served, body);
    const object = decodeObject(patched, call.resource, {
      fieldValidation: options.fieldValidation,
      duplicates: [],
      warnings: call.warnings,
    });
    assertSameIdentity(call, object);
    return call.resource.view === undefined ? object : call.resource.view.toStored(object);
  };
  const { entry } = await commitAdmitted(context, {
    call,
    target,
    operations: updateOperations,
    subresource: info.subresource,
    begin: (current, reader, versions) => {
      if (current === undefined) throw notFound(resource.type, info.name);
      return new ObjectUpdate(context, { call, options, next }, { current, reader, versions });
    },
  });
  if (entry === undefined) throw notFound(resource.type, info.name);
  return entryResponse(context, call, { status: 200, entry });
}

/** The document after the patch, which may share parts of `object`. @throws ApiError */
export function applyPatch(
  resource: Pick<Resource, "description">,
  object: KubeObject,
  body: { type: ChangingPatchType; patch: JsonValue },
): JsonObject {
  const document = object as unknown as JsonObject;
  switch (body.type) {
    case "json":
      return applyJsonPatch(document, body.patch);
    case "merge":
      return applyMergePatch(document, body.patch);
    case "strategic":
      return applyStrategicMergePatch(document, body.patch, resource.description);
  }
}
