import { badRequest, DeleteOptions, invalid } from "@kintsugi/api";
import type { ApiRequest } from "../http/api-request.ts";
import { parseObjectBody } from "../http/body.ts";
import { fieldInvalid } from "../http/refusals.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { textOf } from "../request/decode-object.ts";
import { readDryRun } from "../request/write-options.ts";
import type { ServerContext } from "../server-context.ts";
import type { RequestQuery } from "../request/request-path.ts";

export type Propagation = "Orphan" | "Background" | "Foreground";

/** The options of a delete, from its body or its query. */
export interface DeleteRequest {
  dryRun: boolean;
  gracePeriodSeconds: number | undefined;
  /** Absent: the kind's default, which is deletion in the background. */
  propagation: Propagation | undefined;
  preconditions: { uid?: string | undefined; resourceVersion?: string | undefined };
}

/** @throws ApiError */
export function readDeleteRequest(context: ServerContext, call: ResourceCall): DeleteRequest {
  const { query } = call.info;
  const options = hasBody(call.request) ? decodeOptions(context, call.request) : fromQuery(query);
  return toDeleteRequest(options, readDryRun(query.getAll("dryRun")));
}

/** @throws ApiError */
export function toDeleteRequest(options: DeleteOptions, dryRunAsked = false): DeleteRequest {
  const { gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions } = options;
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    throw invalidOptions(
      "propagationPolicy",
      propagationPolicy,
      "orphanDependents and deletionPropagation cannot be both set",
    );
  }
  if (propagationPolicy !== undefined && !isPropagation(propagationPolicy)) {
    throw invalidOptions(
      "propagationPolicy",
      propagationPolicy,
      'supported values: "Foreground", "Background", "Orphan"',
    );
  }
  const orphan = orphanDependents === undefined ? undefined : orphanDependents ? "Orphan" : "Background";
  return {
    dryRun: dryRunAsked || readDryRun(options.dryRun ?? []),
    // A negative grace period counts as the shortest that still makes the kubelet stop the pod,
    // which is upstream's rule.
    gracePeriodSeconds: gracePeriodSeconds !== undefined && gracePeriodSeconds < 0 ? 1 : gracePeriodSeconds,
    propagation: propagationPolicy ?? orphan,
    preconditions: preconditions ?? {},
  };
}

function isPropagation(text: string): text is Propagation {
  return text === "Orphan" || text === "Background" || text === "Foreground";
}

function hasBody(request: ApiRequest): boolean {
  return request.body !== undefined && request.body.byteLength > 0;
}

/**
 * The body's apiVersion is the resource's own version or v1, depending on the client, so it is not
 * checked.
 */
function decodeOptions(context: ServerContext, request: ApiRequest): DeleteOptions {
  const { object } = parseObjectBody(request, context);
  const kind = object["kind"] ?? "DeleteOptions";
  if (kind !== "DeleteOptions") {
    throw badRequest(`${textOf(kind)} cannot be handled as a DeleteOptions`);
  }
  const parsed = DeleteOptions.safeParse(object);
  if (!parsed.success) throw badRequest(`DeleteOptions cannot be read: ${parsed.error.issues[0]?.message ?? ""}`);
  return parsed.data;
}

function fromQuery(query: RequestQuery): DeleteOptions {
  const options: DeleteOptions = {};
  const grace = query.get("gracePeriodSeconds");
  if (grace !== null) {
    if (!/^-?\d{1,9}$/.test(grace)) throw badRequest(`gracePeriodSeconds: ${JSON.stringify(grace)} is not a number`);
    options.gracePeriodSeconds = Number(grace);
  }
  const policy = query.get("propagationPolicy");
  if (policy !== null) options.propagationPolicy = policy as Propagation;
  const orphan = query.get("orphanDependents");
  if (orphan !== null) options.orphanDependents = orphan === "true" || orphan === "1";
  return options;
}

function invalidOptions(field: string, value: unknown, why: string) {
  return invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", [fieldInvalid(field, value, why)]);
}
