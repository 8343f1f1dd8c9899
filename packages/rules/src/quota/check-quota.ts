import {
  type ApiObject,
  type ExactQuantity,
  type Pod,
  pods,
  type ResourceQuota,
  type ResourceType,
} from "@kintsugi/api";
import { type Amounts, describeAmounts, parseAmounts, pick, zero } from "./amounts.ts";
import { missingStatements } from "./pod-usage.ts";
import { countName, kindOfQuotaName } from "./quota-names.ts";
import { isInScope } from "./quota-scopes.ts";
import { type QuotaUsage, quotaUsageOf } from "./quota-usage.ts";

/** A written object: `before` is missing when it is created. */
export interface QuotaWrite {
  readonly type: Pick<ResourceType, "group" | "resource">;
  readonly object: ApiObject;
  readonly before: ApiObject | undefined;
}

/** One quota, and the usage of its namespace's objects without the write. */
export interface KnownQuota {
  readonly quota: ResourceQuota;
  readonly used: Amounts;
}

/** The names of the quota's limits that objects of this kind use. */
export function limitedNames(quota: ResourceQuota, type: QuotaWrite["type"]): string[] {
  const wanted = countName(type);
  return Object.keys(quota.spec?.hard ?? {})
    .filter((name) => {
      const kind = kindOfQuotaName(name);
      return kind !== undefined && countName(kind) === wanted;
    })
    .toSorted();
}

/**
 * Returns why a quota forbids the write, with upstream's text; undefined when every quota allows it
 * (CheckRequest of k8s.io/apiserver/pkg/admission/plugin/resourcequota).
 */
export function checkQuotas(write: QuotaWrite, quotas: readonly KnownQuota[]): string | undefined {
  const usage = quotaUsageOf(write.type, write.object);
  const before = write.before === undefined ? undefined : quotaUsageOf(write.type, write.before);
  for (const { quota, used } of quotas) {
    const names = limitedNames(quota, write.type);
    const spec = quota.spec ?? {};
    if (names.length === 0 || !isInScope(spec, usage)) continue;
    const name = quota.metadata.name ?? "";
    const isPod = write.type.group === "" && write.type.resource === pods.resource;
    const missing = isPod ? missingStatements(write.object as Pod, names) : undefined;
    if (missing !== undefined) return `failed quota: ${name}: ${missing}`;
    const hard = parseAmounts(spec.hard);
    const asked = increase(usage, before !== undefined && isInScope(spec, before) ? before : undefined);
    const requested = pick(asked, names);
    const exceeded = [...requested.keys()].filter((each) => exceeds({ hard, used, requested }, each));
    if (exceeded.length === 0) continue;
    const known = new Map(exceeded.map((each): [string, ExactQuantity] => [each, used.get(each) ?? zero]));
    const [wanted, inUse, limited] = [pick(requested, exceeded), known, pick(hard, exceeded)].map(describeAmounts);
    return `exceeded quota: ${name}, requested: ${wanted}, used: ${inUse}, limited: ${limited}`;
  }
  return undefined;
}

/** A write may free some resources while it uses others; only the additional usage is checked. */
function increase(usage: QuotaUsage, before: QuotaUsage | undefined): Amounts {
  const more = new Map<string, ExactQuantity>();
  for (const [name, { nanos, format }] of usage.amounts) {
    const delta = nanos - (before?.amounts.get(name)?.nanos ?? 0n);
    if (delta > 0n) more.set(name, { nanos: delta, format });
  }
  return more;
}

function exceeds({ hard, used, requested }: Record<"hard" | "used" | "requested", Amounts>, name: string): boolean {
  const nanos = (amounts: Amounts) => amounts.get(name)?.nanos ?? 0n;
  return nanos(used) + nanos(requested) > nanos(hard);
}
