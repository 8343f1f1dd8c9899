import {
  ApiError,
  badRequest,
  describeSchema,
  disruptionBudgetExceeded,
  type Eviction,
  Eviction as EvictionSchema,
  eviction as evictionType,
  isPodReady,
  matchesLabels,
  notFound,
  type Pod,
  type PodDisruptionBudget,
  podDisruptionBudgets,
  pods,
  toSelector,
  withDisruptedPod,
  withDisruptionTarget,
} from "@kintsugi/api";
import type { Entry } from "@kintsugi/store";
import { requestedBy } from "../admission/requested-by.ts";
import type { AdmissionRequest } from "../admission/admission.ts";
import { type ApiResponse, jsonResponse } from "../http/api-request.ts";
import { decodeLeft } from "../request/decode-left.ts";
import { readPosted } from "../request/posted-object.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { readWriteOptions } from "../request/write-options.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey, storePrefix } from "../resources/keys.ts";
import type { KubeObject } from "../resources/resource.ts";
import type { ServerContext } from "../server-context.ts";
import { commit, type Decision } from "../writes/commit.ts";
import { admitRequest } from "../writes/commit-admitted.ts";
import { deleteOne } from "../verbs/delete.ts";
import { type DeleteRequest, toDeleteRequest } from "../verbs/delete-options.ts";

const decodable = {
  type: evictionType,
  schema: EvictionSchema,
  description: describeSchema(EvictionSchema),
};

/**
 * POST pods/{name}/eviction: a delete that the pod's disruption budget has to allow. The budget is
 * updated inside a write of its own object, so parallel evictions together never exceed it.
 */
export async function createEviction(context: ServerContext, call: ResourceCall): Promise<ApiResponse> {
  const { namespace, name } = call.info;
  const options = readWriteOptions(call.request, call.info);
  const eviction: Eviction = readPosted(context, call, { decodable, options });
  if (eviction.metadata.name !== undefined && eviction.metadata.name !== name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  const { dryRun } = toDeleteRequest(eviction.deleteOptions ?? {}, options.dryRun);
  const waiting = admitEviction(context, call, { eviction, dryRun });
  const { object } = waiting instanceof Promise ? await waiting : waiting;
  const request = toDeleteRequest((object as Eviction).deleteOptions ?? {}, dryRun);
  const entry = context.store.find(storeKey(pods, namespace, name));
  if (entry === undefined) throw notFound(pods, name);
  const pod = decodeEntry(entry) as Pod;
  if (needsBudget(pod)) await spendBudget(context, { pod, entry, request });
  const annotate = (stored: KubeObject) => asEvicted(stored as Pod, context.clock.nowMs());
  await deleteOne(context, call, { ...request, annotate, isAdmitted: true });
  return jsonResponse(201, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 });
}

/** An eviction is admitted as an Eviction, so the resulting delete is not admitted again. */
function admitEviction(
  context: ServerContext,
  call: ResourceCall,
  { eviction, dryRun }: { eviction: Eviction; dryRun: boolean },
): AdmissionRequest | Promise<AdmissionRequest> {
  const { namespace, name } = call.info;
  return admitRequest(context, call, {
    request: {
      operation: "create",
      ...requestedBy(call),
      resource: call.resource,
      subresource: "eviction",
      namespace,
      name,
      object: eviction,
      before: undefined,
      dryRun,
      reader: context.store,
    },
    adopt: (left) => decodeLeft(left, decodable),
  });
}

/**
 * The condition shows the pod's owner that the pod did not fail. Undefined when the pod already has
 * the condition.
 */
function asEvicted(pod: Pod, nowMs: number): Pod | undefined {
  const disruption = { reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" } as const;
  const conditions = withDisruptionTarget(pod, disruption, nowMs);
  return conditions === pod.status?.conditions ? undefined : { ...pod, status: { ...pod.status, conditions } };
}

/** A pod that does not run, or is terminating, does not count as available. */
function needsBudget(pod: Pod): boolean {
  const phase = pod.status?.phase;
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  return phase !== "Succeeded" && phase !== "Failed" && phase !== "Pending";
}

interface Evicted {
  pod: Pod;
  entry: Entry;
  request: DeleteRequest;
}

async function spendBudget(context: ServerContext, evicted: Evicted): Promise<void> {
  const { pod, request, entry } = evicted;
  const budgets = budgetsOf(context, pod);
  if (budgets.length > 1) {
    throw new ApiError(
      "InternalError",
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  }
  const [budget] = budgets;
  if (budget === undefined) return;
  if (!isPodReady(pod) && unhealthyMayGo(budget)) {
    // The pod must still be the unready pod that was inspected.
    request.preconditions = { ...request.preconditions, resourceVersion: String(entry.revision) };
    return;
  }
  const { name = "", namespace = "" } = budget.metadata;
  const key = storeKey(podDisruptionBudgets, namespace, name);
  const target = { key, resource: context.registry.get(podDisruptionBudgets), dryRun: request.dryRun };
  await commit(context, target, (current) => decideSpend(current, { pod, nowMs: context.clock.nowMs() }));
}

function budgetsOf(context: ServerContext, pod: Pod): PodDisruptionBudget[] {
  const { entries } = context.store.list(storePrefix(podDisruptionBudgets, pod.metadata.namespace ?? ""));
  return entries
    .map((entry) => decodeEntry(entry) as PodDisruptionBudget)
    .filter((budget) => matchesLabels(toSelector(budget.spec?.selector), pod.metadata.labels));
}

/**
 * An unready pod may be evicted if the policy allows it, or if the budget is healthy without the
 * pod.
 */
function unhealthyMayGo(budget: PodDisruptionBudget): boolean {
  if (budget.spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {};
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

/** Upstream's limit: if a budget tracks more evictions, its controller is too slow. */
const disruptedPodsMax = 2000;

/** Uses one disruption of the budget, or rejects. @throws ApiError TooManyRequests */
function decideSpend(current: Entry | undefined, request: { pod: Pod; nowMs: number }): Decision<undefined> {
  if (current === undefined) return { action: "keep", result: undefined };
  const budget = decodeEntry(current) as PodDisruptionBudget;
  const { name = "" } = budget.metadata;
  const status = budget.status ?? {};
  if ((status.observedGeneration ?? 0) < (budget.metadata.generation ?? 0)) {
    const refusal = disruptionBudgetExceeded(`The disruption budget ${name} is still being processed by the server.`);
    throw new ApiError("TooManyRequests", refusal.message, { details: { ...refusal.details, retryAfterSeconds: 10 } });
  }
  const allowed = status.disruptionsAllowed ?? 0;
  if (allowed <= 0) {
    throw disruptionBudgetExceeded(
      `The disruption budget ${name} needs ${status.desiredHealthy ?? 0} healthy pods and has ${status.currentHealthy ?? 0} currently`,
    );
  }
  if (Object.keys(status.disruptedPods ?? {}).length >= disruptedPodsMax) {
    throw new ApiError("Forbidden", `DisruptedPods map too big - too many evictions not confirmed by PDB controller`);
  }
  const disruptedPods = withDisruptedPod(status, request.pod, request.nowMs);
  budget.status = { ...status, disruptionsAllowed: allowed - 1, disruptedPods };
  return { action: "put", object: budget, result: undefined };
}
