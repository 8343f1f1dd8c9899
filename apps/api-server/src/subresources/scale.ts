import {
  apiVersionOf,
  badRequest,
  describeSchema,
  collectFaults,
  formatSelector,
  invalid,
  notFound,
  type ReplicaSet,
  type Scale,
  Scale as ScaleSchema,
  toSelector,
  validateScale,
} from "@kintsugi/api";
import type { Entry } from "@kintsugi/store";
import { assertAppliable } from "../apply/assert-appliable.ts";
import { type ApiResponse, jsonResponse } from "../http/api-request.ts";
import { parseApplyBody } from "../http/apply-body.ts";
import { type ChangingPatchType, parseObjectBody, parsePatchBody, patchTypeOf } from "../http/body.ts";
import { decodeObject } from "../request/decode-object.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { assertNotForced, readApplyOptions, readWriteOptions } from "../request/write-options.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey } from "../resources/keys.ts";
import type { KubeObject } from "../resources/resource.ts";
import type { ServerContext } from "../server-context.ts";
import { commit } from "../verbs/commit.ts";
import { applyPatch } from "../verbs/patch.ts";
import { planOrRefuse } from "../verbs/plan-or-refuse.ts";
import { assertSameIdentity } from "../verbs/same-identity.ts";
import { decideUpdate } from "../verbs/update.ts";
import { toParentEntries, toScaleEntries } from "./scale-entries.ts";

const scaleType = { group: "autoscaling", version: "v1", kind: "Scale" };
const decodable = { type: scaleType, schema: ScaleSchema, description: describeSchema(ScaleSchema) };

export function getScale(context: ServerContext, call: ResourceCall): ApiResponse {
  const entry = context.store.find(storeKey(call.resource.type, call.info.namespace, call.info.name));
  if (entry === undefined) throw notFound(call.resource.type, call.info.name);
  return jsonResponse(200, scaleOf(decodeEntry(entry)));
}

/** PUT or PATCH of the scale: changes spec.replicas of its parent. */
export async function updateScale(context: ServerContext, call: ResourceCall): Promise<ApiResponse> {
  const { resource, info } = call;
  const type = info.verb === "patch" ? patchTypeOf(call.request) : undefined;
  if (type === "apply") return applyScale(context, call);
  const options = readWriteOptions(call.request, info);
  const change = type === undefined ? bodyReader(context, call) : patchReader(call, type);
  const key = storeKey(resource.type, info.namespace, info.name);
  const { entry } = await commit(context, { key, resource, dryRun: options.dryRun }, (current, reader) => {
    if (current === undefined) throw notFound(resource.type, info.name);
    return decideUpdate(context, { call, options, current, reader }, (before) =>
      withReplicas(before, change(scaleOf(before))),
    );
  });
  return jsonResponse(200, scaleOf(decodeEntry(entry as Entry)));
}

function bodyReader(context: ServerContext, call: ResourceCall): (scale: Scale) => Scale {
  const options = readWriteOptions(call.request, call.info);
  const body = parseObjectBody(call.request, context.registry.describe, options.fieldValidationAsked);
  const scale: Scale = decodeObject(body.object, decodable, {
    ...options,
    duplicates: body.duplicates,
    warnings: call.warnings,
  });
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

/** The scale is applied as an object of its own; that its replicas are its parent's is seen to afterwards. */
async function applyScale(context: ServerContext, call: ResourceCall): Promise<ApiResponse> {
  const { resource, info } = call;
  const options = readApplyOptions(call.request, info);
  const applied = parseApplyBody(call.request, options.fieldValidation, call.warnings);
  assertAppliable(applied, decodable);
  const key = storeKey(resource.type, info.namespace, info.name);
  const { entry } = await commit(context, { key, resource, dryRun: options.dryRun }, (current, reader) => {
    if (current === undefined) throw notFound(resource.type, info.name);
    return decideUpdate(context, { call, options, current, reader, saysOwners: true }, (before) => {
      const entries = before.metadata.managedFields ?? [];
      const scale = scaleOf(before);
      const live = { ...scale, metadata: { ...scale.metadata, managedFields: toScaleEntries(entries) } };
      const wanted = {
        live,
        applied,
        options,
        subresource: "scale",
        type: scaleType,
        description: decodable.description,
      };
      const plan = planOrRefuse(context, { ...wanted, resets: {} });
      const next: Scale = decodeObject(plan.object, decodable, {
        fieldValidation: "Ignore",
        duplicates: [],
        warnings: [],
      });
      assertSameIdentity(call, next);
      const object = withReplicas(before, next);
      object.metadata.managedFields = toParentEntries(entries, plan.managedFields, apiVersionOf(resource.type));
      return object;
    });
  });
  return jsonResponse(200, scaleOf(decodeEntry(entry as Entry)));
}

/** @throws ApiError when no object can have that scale: what its own kind says of a size is not asked where only the scale is written. */
function withReplicas(before: KubeObject, scale: Scale): KubeObject {
  const issues = collectFaults((faults) => validateScale(scale, faults));
  if (issues.length > 0) throw invalid(scaleType, before.metadata.name ?? "", issues);
  const { resourceVersion, uid } = scale.metadata;
  return {
    ...before,
    metadata: { ...before.metadata, resourceVersion, uid },
    spec: { ...(before as ReplicaSet).spec, replicas: scale.spec?.replicas ?? 0 },
  };
}

function scaleOf(object: KubeObject): Scale {
  const parent = object as ReplicaSet;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata;
  return {
    kind: scaleType.kind,
    apiVersion: apiVersionOf(scaleType),
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: parent.spec?.replicas ?? 0 },
    status: { replicas: parent.status?.replicas ?? 0, selector: formatSelector(toSelector(parent.spec?.selector)) },
  };
}
