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
 * The IPv4 ranges from which Services currently get addresses: the ranges of ServiceCIDRs that are
 * ready and not being deleted, the default range first. IPv6 ranges are omitted because this
 * cluster does not use them.
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

/**
 * Reports whether a Service may have the address. The first and last address of a range are
 * excluded.
 */
export function isUsable(ranges: readonly Ipv4Range[], address: number): boolean {
  return ranges.some(
    (range) => isAddressIn(range, address) && address !== range.first && address !== range.first + range.size - 1,
  );
}

export function formatRanges(ranges: readonly Ipv4Range[]): string {
  return ranges.map(formatIpv4Range).join(", ");
}

/**
 * The addresses that are not used by Services: IPAddresses that a client created. The IPAddresses
 * of Services are derived from the Services, which are counted themselves.
 */
export function foreignAddresses(store: Pick<Store, "list">): string[] {
  return store
    .list(storePrefix(ipAddresses, ""))
    .entries.filter(isForeign)
    .map(({ key }) => parseStoreKey(key).name);
}

/** Reports whether a client reserved the address, including in the batch that is being formed. */
export function isTakenByOthers(reader: Pick<StoreReader, "find">, address: string): boolean {
  const entry = reader.find(storeKey(ipAddresses, "", address));
  return entry !== undefined && isForeign(entry);
}

/** Reports whether the address was not created for a Service. */
export function isForeign({ index }: Entry): boolean {
  return index.labels?.[managedByLabel] !== ipAllocatorName;
}
