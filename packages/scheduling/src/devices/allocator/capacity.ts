import type { CapacityRequestPolicy } from "@kintsugi/api";
import type { DeviceDemand } from "./demand.ts";
import { nanosOf, type PooledDevice } from "./pool.ts";

/** Amounts of capacities by name, in units of 10⁻⁹. */
export type CapacityAmounts = ReadonlyMap<string, bigint>;

/**
 * The share of the device that the demand takes (upstream's GetConsumedCapacityFromRequest);
 * undefined if the device cannot have such a share even when it is unused. A device that is not
 * shared is taken as a whole, and its share only shows that it is large enough.
 */
export function shareOf(
  { device, isShareable }: PooledDevice,
  { capacity }: DeviceDemand,
): CapacityAmounts | undefined {
  const offered = device.capacity ?? {};
  for (const name of Object.keys(capacity)) if (!Object.hasOwn(offered, name)) return undefined;
  const share = new Map<string, bigint>();
  for (const [name, { value, requestPolicy }] of Object.entries(offered)) {
    const whole = nanosOf(value);
    const asked = Object.hasOwn(capacity, name) ? nanosOf(capacity[name] as string) : undefined;
    const amount = isShareable ? policyAmount(asked, { whole, policy: requestPolicy }) : (asked ?? 0n);
    if (amount === undefined || amount > whole) return undefined;
    share.set(name, amount);
  }
  return share;
}

/** The amount that the policy provides for a request: the next larger valid amount. */
function policyAmount(
  asked: bigint | undefined,
  { whole, policy }: { whole: bigint; policy: CapacityRequestPolicy | undefined },
): bigint | undefined {
  if (asked === undefined) return policy?.default === undefined ? whole : nanosOf(policy.default);
  const { validValues = [], validRange } = policy ?? {};
  if (validValues.length > 0) return validValues.map(nanosOf).find((value) => value >= asked);
  if (validRange === undefined) return asked;
  const [min, max] = [nanosOf(validRange.min), validRange.max === undefined ? whole : nanosOf(validRange.max)];
  const step = validRange.step === undefined ? 1n : nanosOf(validRange.step);
  const steps = asked <= min || step <= 0n ? 0n : (asked - min + step - 1n) / step;
  const amount = asked <= min ? min : step <= 0n ? asked : min + steps * step;
  return amount > max ? undefined : amount;
}

/** Reports whether the device has room for one more share in addition to its present shares. */
export function hasRoomFor(share: CapacityAmounts, { device }: PooledDevice, taken: CapacityAmounts): boolean {
  for (const [name, amount] of share) {
    const whole = nanosOf(device.capacity?.[name]?.value ?? "0");
    if ((taken.get(name) ?? 0n) + amount > whole) return false;
  }
  return true;
}

/** Adds the amounts, or subtracts them if `sign` is -1. */
export function addShare(to: Map<string, bigint>, share: CapacityAmounts, sign: 1n | -1n): void {
  for (const [name, amount] of share) to.set(name, (to.get(name) ?? 0n) + sign * amount);
}
