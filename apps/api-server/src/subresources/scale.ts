import {
  apiVersionOf,
  badRequest,
  describeSchema,
  notFound,
  type Scale,
  Scale as ScaleSchema,
  scale as scaleType,
} from "@kintsugi/api";
import type { Entry } from "@kintsugi/store";
import { scaleOf, withReplicas } from "../admission/matching/scale-form.ts";
import { assertAppliable } from "../apply/assert-appliable.ts";
import { type ApiResponse, jsonResponse } from "../http/api-request.ts";
import { sameInEveryVersion } from "../fields/field-versions.ts";
import { parseApplyBody } from "../request/apply-body.ts";
import { type ChangingPatchType, parsePatchBody, patchTypeOf, patchTypesOf } from "../http/body.ts";
import { decodeObject } from "../request/decode-object.ts";
import { readPosted } from "../request/posted-object.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { assertNotForced, readApplyOptions, readWriteOptions } from "../request/write-options.ts";
import { storeKey } from "../resources/keys.ts";
import type { KubeObject } from "../resources/resource.ts";
import { oneToServed } from "../resources/conversions.ts";
import { decodeStored } from "../resources/requested-form.ts";
import type { ServerContext } from "../server-context.ts";
import { commitAdmitted } from "../writes/commit-admitted.ts";
import { ObjectUpdate, type WantedUpdate } from "../writes/object-update.ts";
import { applyPatch } from "../verbs/patch.ts";
import { planOrRefuse } from "../writes/plan-or-refuse.ts";
import { assertSameIdentity } from "../writes/same-identity.ts";
import { updateOperations } from "../verbs/update.ts";
import { toParentEntries, toScaleEntries } from "./scale-entries.ts";

const decodable = { type: scaleType, schema: ScaleSchema, description: describeSchema(ScaleSchema) };

export async function getScale(context: ServerContext, call: ResourceCall): Promise<ApiResponse> {
  const entry = context.store.find(storeKey(call.resource.type, call.info.namespace, call.info.name));
  if (entry === undefined) throw notFound(call.resource.type, call.info.name);
  return scaleResponse(context, call, entry);
}

/** PUT or PATCH of the scale: changes spec.replicas of its parent. */
export async function updateScale(context: ServerContext, call: ResourceCall): Promise<ApiResponse> {
  const { resource, info } = call;
  const type =
    info.verb === "patch" ? patchTypeOf(call.request, patchTypesOf(resource.kind, context.encodings)) : undefined;
  if (type === "apply") return applyScale(context, call);
  const options = readWriteOptions(call.request, info);
  const change = type === undefined ? bodyReader(context, call) : patchReader(call, type);
  const next = (before: KubeObject) => withReplicas(resource, before, change(scaleOf(resource, before)));
  return commitScale(context, { call, options, next });
}

function bodyReader(context: ServerContext, call: ResourceCall): (scale: Scale) => Scale {
  const options = readWriteOptions(call.request, call.info);
  const scale: Scale = readPosted(context, call, { decodable, options });
  if ((scale.metadata.name ?? call.info.name) !== call.info.name) {
    throw badRequest(
      `the name of the object (${scale.metadata.name}) does not match the name on the URL (${call.info.name})`,
    );
  }
  return () => scale;
}

function patchReader(call: ResourceCall, type: ChangingPatchType): (scale: Scale) => Scale {
  assertNotForced(call.info);
  const body = { type, patch: parsePatchBody(call.request) };
  const options = readWriteOptions(call.request, call.info);
  return (scale) =>
    decodeObject(applyPatch(decodable, scale, body), decodable, {
      ...options,
      duplicates: [],
      warnings: call.warnings,
    });
}

/**
 * The scale is applied as an object of its own. Its replicas are copied to its parent afterwards.
 */
async function applyScale(context: ServerContext, call: ResourceCall): Promise<ApiResponse> {
  const { resource, info } = call;
  const options = readApplyOptions(call.request, info);
  const applied = parseApplyBody(call, options.fieldValidation);
  assertAppliable(applied, decodable);
  const next = (before: KubeObject): KubeObject => {
    const entries = before.metadata.managedFields ?? [];
    const scale = scaleOf(resource, before);
    const live = { ...scale, metadata: { ...scale.metadata, managedFields: toScaleEntries(entries) } };
    const wanted = {
      live,
      applied,
      options,
      subresource: info.subresource,
      type: scaleType,
      // The owners have been translated for the scale.
      versions: sameInEveryVersion({ type: decodable.description }),
    };
    const plan = planOrRefuse(context, { ...wanted, resets: {} });
    const next: Scale = decodeObject(plan.object, decodable, {
      fieldValidation: "Ignore",
      duplicates: [],
      warnings: [],
    });
    assertSameIdentity(call, next);
    const object = withReplicas(resource, before, next);
    object.metadata.managedFields = toParentEntries(entries, plan.managedFields, apiVersionOf(resource.type));
    return object;
  };
  return commitScale(context, { call, options, next, saysOwners: true });
}

async function commitScale(context: ServerContext, wanted: WantedUpdate): Promise<ApiResponse> {
  const { resource, info } = wanted.call;
  const key = storeKey(resource.type, info.namespace, info.name);
  const { entry } = await commitAdmitted(context, {
    call: wanted.call,
    target: { key, resource, dryRun: wanted.options.dryRun },
    operations: updateOperations,
    subresource: info.subresource,
    begin: (current, reader, versions) => {
      if (current === undefined) throw notFound(resource.type, info.name);
      return new ObjectUpdate(context, wanted, { current, reader, versions });
    },
  });
  return scaleResponse(context, wanted.call, entry as Entry);
}

async function scaleResponse(
  { conversions }: ServerContext,
  { resource, request }: ResourceCall,
  entry: Entry,
): Promise<ApiResponse> {
  const served = await oneToServed(conversions, resource, { entry, signal: request.signal });
  return jsonResponse(200, scaleOf(resource, decodeStored(resource, served)));
}
