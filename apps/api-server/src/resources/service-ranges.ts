import {
  defaultServiceCidrName,
  formatIpv4Range,
  ipAddresses,
  ipAllocatorName,
  type Ipv4Range,
  ipv4RangeOf,
  isAddressIn,
  managedByLabel,
  readyRangesField,
  serviceCidrs,
} from "@kintsugi/api";
import type { Entry, Store, StoreReader } from "@kintsugi/store";
import { parseStoreKey, storeKey, storePrefix } from "./keys.ts";

/**
 * The IPv4 ranges of which Services get addresses now: those of ServiceCIDRs that are ready and not
 * being deleted, the default one first. Ranges of IPv6 are left out: this cluster has none.
 */
export function readyRanges(store: Pick<Store, "list">): Ipv4Range[] {
  const { entries } = store.list(storePrefix(serviceCidrs, ""));
  const defaultKey = storeKey(serviceCidrs, "", defaultServiceCidrName);
  const ordered = [
    ...entries.filter(({ key }) => key === defaultKey),
    ...entries.filter(({ key }) => key !== defaultKey),
  ];
  return ordered.flatMap(({ index }) =>
    (index.fields?.[readyRangesField] ?? "").split(",").flatMap((cidr) => ipv4RangeOf(cidr) ?? []),
  );
}

/** Reports whether a Service may have the address: the ends of a range are no host's. */
export function isUsable(ranges: readonly Ipv4Range[], address: number): boolean {
  return ranges.some(
    (range) => isAddressIn(range, address) && address !== range.first && address !== range.first + range.size - 1,
  );
}

export function formatRanges(ranges: readonly Ipv4Range[]): string {
  return ranges.map(formatIpv4Range).join(", ");
}

/**
 * The addresses that others than Services use: IPAddresses that a client made. Those of Services
 * follow their Services, which count for themselves.
 */
export function foreignAddresses(store: Pick<Store, "list">): string[] {
  return store
    .list(storePrefix(ipAddresses, ""))
    .entries.filter(isForeign)
    .map(({ key }) => parseStoreKey(key).name);
}

/** Reports whether a client took the address, including in the batch that is being formed. */
export function isTakenByOthers(reader: Pick<StoreReader, "find">, address: string): boolean {
  const entry = reader.find(storeKey(ipAddresses, "", address));
  return entry !== undefined && isForeign(entry);
}

/** Reports whether no Service is the reason of the address. */
export function isForeign({ index }: Entry): boolean {
  return index.labels?.[managedByLabel] !== ipAllocatorName;
}
