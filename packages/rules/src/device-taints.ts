import {
  type DeviceRequestAllocationResult,
  type DeviceTaint,
  type DeviceToleration,
  parseTimestamp,
} from "@kintsugi/api";

/** A taint of an allocated device, with the tolerations of the request for the device. */
export interface AllocatedTaint {
  readonly taint: DeviceTaint;
  readonly tolerations: readonly DeviceToleration[];
}

/**
 * Instants in the API are whole seconds, rounded down, so an instant that looks a second old may be
 * now.
 */
const roundingMs = 1000;

/** Names a device in the whole cluster. Names of drivers and devices do not contain slashes. */
export function deviceId({ driver, pool, device }: Pick<DeviceRequestAllocationResult, "driver" | "pool" | "device">) {
  return `${driver}/${pool}/${device}`;
}

/** Follows upstream's resourceclaim.ToleratesTaint. */
export function toleratesDeviceTaint(
  { key = "", operator, value = "", effect = "" }: DeviceToleration,
  taint: DeviceTaint,
): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  // A toleration without a key matches all taints only with Exists.
  return value === (taint.value ?? "");
}

/**
 * Returns the time at which a pod is evicted from its devices, on the clock of `since`; undefined
 * when the pod may use the devices forever. Only tolerations with the effect NoExecute grant time,
 * and the shortest toleration counts (upstream's claimEvictionTime).
 * @param since returns the time at which the taint was added
 */
export function planDeviceEviction<T extends AllocatedTaint>(
  taints: readonly T[],
  since: (taint: T) => number,
): { atMs: number } | undefined {
  let atMs = Infinity;
  for (const each of taints) {
    const { taint, tolerations } = each;
    if (taint.effect !== "NoExecute") continue;
    const matching = tolerations.filter(
      (toleration) => toleration.effect === "NoExecute" && toleratesDeviceTaint(toleration, taint),
    );
    if (matching.length === 0) return { atMs: Number.NEGATIVE_INFINITY };
    const seconds = matching.map(({ tolerationSeconds }) => tolerationSeconds);
    const limited = seconds.filter((limit) => limit !== undefined);
    if (limited.length < seconds.length) continue;
    atMs = Math.min(atMs, since(each) + Math.max(0, Math.min(...limited)) * 1000);
  }
  return atMs === Infinity ? undefined : { atMs };
}

/**
 * Returns the time for which the taint has certainly existed. The time is never negative, even if
 * clocks jump.
 */
export function taintedForMs({ timeAdded }: DeviceTaint, nowMs: number): number {
  const addedMs = timeAdded === undefined ? undefined : parseTimestamp(timeAdded);
  return addedMs === undefined ? 0 : Math.max(0, nowMs - addedMs - roundingMs);
}
