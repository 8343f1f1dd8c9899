import { type Pod, type ResourceClaim, resourceClaims, type ResourceSlice, resourceSlices } from "@kintsugi/api";
import { type Informers, reading } from "@kintsugi/controller";
import { type AllocatedTaint, claimOfEntry, deviceId, isReservedForPod } from "@kintsugi/rules";

/** Index of the claims by each device that is allocated to them. */
export const claimsByDevice = reading(resourceClaims, {
  device: ({ status }) => (status?.allocation?.devices?.results ?? []).map(deviceId),
});

/** Index of the slices by their pools and by their devices with evicting taints. */
export const slicesByDevice = reading(resourceSlices, {
  pool: ({ spec }) => [`${spec.driver}/${spec.pool.name}`],
  evicting: evictingDevices,
});

/** Lists the devices of a slice that have a taint with the effect NoExecute. */
export function evictingDevices({ spec }: ResourceSlice): string[] {
  return (spec.devices ?? [])
    .filter(({ taints = [] }) => taints.some(({ effect }) => effect === "NoExecute"))
    .map(({ name }) => deviceId({ driver: spec.driver, pool: spec.pool.name, device: name }));
}

/** A taint of a device that is allocated to the pod. */
export interface PodTaint extends AllocatedTaint {
  readonly device: string;
}

/** Finds the NoExecute taints on the devices that are reserved for the pod. */
export function taintsOf(pod: Pod, informers: Informers): readonly PodTaint[] {
  return claimsOfPod(pod, informers).flatMap((claim) =>
    (claim.status?.allocation?.devices?.results ?? []).flatMap((result): PodTaint[] => {
      const device = deviceId(result);
      const { tolerations = [] } = result;
      return taintsOfDevice(device, informers).map((taint) => ({ taint, tolerations, device }));
    }),
  );
}

function claimsOfPod(pod: Pod, informers: Informers): ResourceClaim[] {
  const { namespace = "" } = pod.metadata;
  return (pod.spec?.resourceClaims ?? []).flatMap((entry) => {
    const known = claimOfEntry(pod, entry);
    const claim = known.is === "claim" ? informers.of(resourceClaims).find({ namespace, name: known.name }) : undefined;
    return claim !== undefined && isReservedForPod(claim, pod) ? [claim] : [];
  });
}

/** Slices of an older generation of the pool are outdated. */
function taintsOfDevice(key: string, informers: Informers) {
  const slices = informers.of(resourceSlices);
  return slices.byIndex("evicting", key).flatMap(({ spec }) => {
    const ofPool = slices.byIndex("pool", `${spec.driver}/${spec.pool.name}`);
    if (ofPool.some((other) => other.spec.pool.generation > spec.pool.generation)) return [];
    const name = key.slice(`${spec.driver}/${spec.pool.name}/`.length);
    const taints = (spec.devices ?? []).find((device) => device.name === name)?.taints ?? [];
    return taints.filter(({ effect }) => effect === "NoExecute");
  });
}
