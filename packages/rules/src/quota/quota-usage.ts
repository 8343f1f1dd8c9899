import {
  type ApiObject,
  classOfClaim,
  type ExactQuantity,
  parseQuantity,
  parseTimestamp,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  type Pod,
  pods,
  type ResourceType,
  type Service,
  services,
} from "@kintsugi/api";
import { addTo, type Amounts, one, wholeQuantity, zero } from "./amounts.ts";
import { podAmounts } from "./pod-usage.ts";
import { countName } from "./quota-names.ts";
import { claimScopes, noScopes, podScopes, type QuotaScopes } from "./quota-scopes.ts";

type GroupResource = Pick<ResourceType, "group" | "resource">;

/** The use of one object, and the traits that scopes compare. */
export interface QuotaUsage {
  readonly amounts: Amounts;
  readonly scopes: QuotaScopes;
  /**
   * The object counts fully until this time, and afterwards only as a stored object. A pod whose
   * node does not answer is not deleted when its grace period ends, and upstream no longer charges
   * for it.
   */
  readonly countedUntilMs?: number;
}

/** Measures what an object uses (pkg/quota/v1/evaluator/core). */
export function quotaUsageOf(type: GroupResource, object: ApiObject): QuotaUsage {
  const amounts = new Map<string, ExactQuantity>([[countName(type), one]]);
  if (type.group !== "") return { amounts, scopes: noScopes };
  switch (type.resource) {
    case pods.resource:
      return podQuotaUsage(object as Pod, amounts);
    case services.resource:
      addTo(amounts, serviceUsage(object as Service), 1n);
      return { amounts, scopes: noScopes };
    case persistentVolumeClaims.resource:
      addTo(amounts, claimUsage(object as PersistentVolumeClaim), 1n);
      return { amounts, scopes: claimScopes(object as PersistentVolumeClaim) };
    default:
      // Some kinds had their own limits before every kind had a limit.
      if (oldNames.has(type.resource)) amounts.set(type.resource, one);
      return { amounts, scopes: noScopes };
  }
}

const oldNames: ReadonlySet<string> = new Set(["configmaps", "resourcequotas", "replicationcontrollers", "secrets"]);

function podQuotaUsage(pod: Pod, amounts: Map<string, ExactQuantity>): QuotaUsage {
  const scopes = podScopes(pod);
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (pod.status?.phase === "Failed" || pod.status?.phase === "Succeeded") return { amounts, scopes };
  addTo(amounts, podAmounts(pod), 1n);
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return { amounts, scopes };
  const countedUntilMs = parseTimestamp(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
  return { amounts, scopes, countedUntilMs };
}

function serviceUsage({ spec }: Service): Amounts {
  const ports = spec?.ports ?? [];
  const isBalanced = spec?.type === "LoadBalancer";
  const nodePorts =
    isBalanced && spec.allocateLoadBalancerNodePorts === false
      ? ports.filter(({ nodePort = 0 }) => nodePort !== 0).length
      : isBalanced || spec?.type === "NodePort"
        ? ports.length
        : 0;
  return new Map([
    ["services", one],
    ["services.nodeports", wholeQuantity(nodePorts)],
    ["services.loadbalancers", isBalanced ? one : zero],
  ]);
}

function claimUsage(claim: PersistentVolumeClaim): Amounts {
  const amounts = new Map([["persistentvolumeclaims", one]]);
  const storage = claimedStorage(claim);
  if (storage !== undefined) amounts.set("requests.storage", storage);
  const className = classOfClaim(claim);
  if (className === "") return amounts;
  const ofClass = [...amounts].map(([name, amount]): [string, ExactQuantity] => [
    `${className}.storageclass.storage.k8s.io/${name}`,
    amount,
  ]);
  return new Map([...amounts, ...ofClass]);
}

/** Whole bytes of the request, or of an expansion in progress. */
function claimedStorage({ spec, status }: PersistentVolumeClaim): ExactQuantity | undefined {
  const requested = spec?.resources?.requests?.["storage"];
  if (requested === undefined) return undefined;
  const allocated = parseQuantity(status?.allocatedResources?.["storage"] ?? "0");
  const asked = parseQuantity(requested);
  const { nanos, format } = allocated.nanos > asked.nanos ? allocated : asked;
  return { nanos: ((nanos + one.nanos - 1n) / one.nanos) * one.nanos, format };
}

/**
 * The remaining usage when the grace period has passed: the object is still stored, and counted.
 */
export function withoutEnded(usage: QuotaUsage, nowMs: number): QuotaUsage {
  if (usage.countedUntilMs === undefined || nowMs <= usage.countedUntilMs) return usage;
  const stored = [...usage.amounts].filter(([name]) => name.startsWith("count/"));
  return { amounts: new Map(stored), scopes: usage.scopes };
}
