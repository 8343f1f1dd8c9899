import type { ClaimDemands } from "./candidates.ts";

/**
 * Reports whether there may be enough devices: each request needs its number of different devices,
 * and a device serves one request. Constraints and capacities are not inspected, so a positive
 * result may be wrong. A search would get the same result by trying all orders, which are too many
 * to try.
 */
export function mayHaveEnough(claims: readonly ClaimDemands[]): boolean {
  const slots: (readonly string[])[] = [];
  for (const { requests } of claims) {
    for (const alternatives of requests) {
      // Administrative access does not use up devices, and shared devices may have room for many
      // requests.
      if (alternatives.some(({ demand }) => demand.isAdmin)) continue;
      if (alternatives.some(({ candidates }) => candidates.some(({ device }) => device.isShareable))) continue;
      const count = Math.min(...alternatives.map((alternative) => alternative.count));
      const devices = [...new Set(alternatives.flatMap(({ candidates }) => candidates.map(({ device }) => device.id)))];
      for (let i = 0; i < count; i++) slots.push(devices);
    }
  }
  return canMatch(slots);
}

/** A device for each slot, by augmenting paths. */
function canMatch(slots: readonly (readonly string[])[]): boolean {
  const slotOf = new Map<string, number>();
  const place = (slot: number, tried: Set<string>): boolean => {
    for (const device of slots[slot] ?? []) {
      if (tried.has(device)) continue;
      tried.add(device);
      const holder = slotOf.get(device);
      if (holder !== undefined && !place(holder, tried)) continue;
      slotOf.set(device, slot);
      return true;
    }
    return false;
  };
  return slots.every((_, slot) => place(slot, new Set()));
}
