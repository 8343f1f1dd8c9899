import {
  containsRange,
  findCondition,
  type IPAddress,
  type Ipv4Range,
  ipAllocatorName,
  ipv4Number,
  ipv4RangeOf,
  isAddressIn,
  managedByLabel,
  parseTimestamp,
  type ServiceCIDR,
  serviceCidrFinalizer,
  type ServiceCIDRStatus,
  withCondition,
} from "@kintsugi/api";

export type RangeStep =
  | { step: "write finalizers"; finalizers: string[] }
  | { step: "write status"; status: ServiceCIDRStatus }
  | { step: "wait"; forMs: number }
  | { step: "nothing" };

export interface ObservedRanges {
  readonly range: ServiceCIDR;
  /** All ServiceCIDRs, including `range`. */
  readonly all: readonly ServiceCIDR[];
  readonly addresses: readonly IPAddress[];
  readonly nowMs: number;
}

/** Time after which servers that allocate addresses have detected the deletion. */
const deletionGraceMs = 10_000;

/**
 * The next step for one range: it gets the finalizer, then it becomes ready. When it is being
 * deleted, it remains while Services have addresses that no other range contains.
 */
export function planServiceCidr({ range, all, addresses, nowMs }: ObservedRanges): RangeStep {
  const { deletionTimestamp, finalizers = [] } = range.metadata;
  const hasFinalizer = finalizers.includes(serviceCidrFinalizer);
  if (deletionTimestamp === undefined) {
    if (!hasFinalizer) return { step: "write finalizers", finalizers: [...finalizers, serviceCidrFinalizer] };
    // The server has declared its own range ready, with its own message.
    if (findCondition(range.status?.conditions, "Ready")?.status === "True") return { step: "nothing" };
    return readiness(range, { status: "True", reason: "", message: "Kubernetes Service CIDR is ready" }, nowMs);
  }
  if (!hasFinalizer) return { step: "nothing" };
  const others = all.filter(({ metadata }) => metadata.name !== range.metadata.name);
  if (isNeeded(range, others, addresses)) return readiness(range, terminating, nowMs);
  const leftMs = parseTimestamp(deletionTimestamp) + deletionGraceMs - nowMs;
  if (leftMs > 0) return { step: "wait", forMs: leftMs };
  return { step: "write finalizers", finalizers: finalizers.filter((name) => name !== serviceCidrFinalizer) };
}

const terminating = {
  status: "False",
  reason: "Terminating",
  message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
} as const;

function readiness(
  range: ServiceCIDR,
  condition: { status: "True" | "False"; reason: string; message: string },
  nowMs: number,
): RangeStep {
  const before = range.status?.conditions ?? [];
  const conditions = withCondition(before, { type: "Ready", ...condition }, nowMs);
  return conditions === before ? { step: "nothing" } : { step: "write status", status: { conditions } };
}

function isNeeded(range: ServiceCIDR, others: readonly ServiceCIDR[], addresses: readonly IPAddress[]): boolean {
  const own = rangesOf(range);
  const otherRanges = others.flatMap(rangesOf);
  if (own.every((each) => otherRanges.some((other) => containsRange(other, each)))) return false;
  return addresses.some(({ metadata }) => {
    if (metadata.labels?.[managedByLabel] !== ipAllocatorName) return false;
    const address = ipv4Number(metadata.name ?? "");
    if (address === undefined) return false;
    return isInAny(own, address) && !isInAny(otherRanges, address);
  });
}

function isInAny(ranges: readonly Ipv4Range[], address: number): boolean {
  return ranges.some((range) => isAddressIn(range, address));
}

/** IPv6 ranges are left out because Services do not have IPv6 addresses. */
function rangesOf({ spec }: ServiceCIDR): Ipv4Range[] {
  return (spec?.cidrs ?? []).flatMap((cidr) => ipv4RangeOf(cidr) ?? []);
}
