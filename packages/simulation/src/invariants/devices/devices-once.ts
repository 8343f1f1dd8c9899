import { type ResourceClaim, pods, resourceClaims } from "@kintsugi/api";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { nameOf } from "../observed/known-objects.ts";

/** A device that is not shared is allocated to at most one of all claims in the API. */
export function devicesAreAllocatedOnce(): Invariant {
  /** The claims of each device, by their UID. */
  const claimsOf = new Map<string, Map<string, string>>();
  /** The devices of each claim, by its UID. */
  const devicesOf = new Map<string, readonly string[]>();

  const forget = (uid: string) => {
    for (const device of devicesOf.get(uid) ?? []) {
      claimsOf.get(device)?.delete(uid);
      if (claimsOf.get(device)?.size === 0) claimsOf.delete(device);
    }
    devicesOf.delete(uid);
  };

  return {
    name: "devices-are-allocated-once",
    never: "a device that is allocated to two claims, unless the claim has admin access or the device is shared",
    observes: [
      onKind(resourceClaims, ({ type, object }, check) => {
        const uid = object.metadata.uid ?? "";
        forget(uid);
        if (type === "delete") return;
        const devices = wholeDevices(object);
        devicesOf.set(uid, devices);
        for (const device of devices) {
          const claims = claimsOf.get(device) ?? new Map<string, string>();
          claims.set(uid, nameOf(object));
          claimsOf.set(device, claims);
          check(
            claims.size > 1
              ? `device ${device} is allocated to ${[...claims.values()].toSorted().join(" and ")}`
              : undefined,
          );
        }
      }),
    ],
  };
}

function wholeDevices({ status }: ResourceClaim): string[] {
  const results = status?.allocation?.devices?.results ?? [];
  return results
    .filter(({ adminAccess, shareID }) => adminAccess !== true && shareID === undefined)
    .map(({ driver, pool, device }) => `${driver}/${pool}/${device}`);
}

/** A pod's devices are allocated before it is bound to a node. */
export function podsWaitForTheirDevices({ known }: InvariantContext): Invariant {
  return {
    name: "pods-wait-for-their-devices",
    never: "a pod that is bound while one of its claims has no devices, or is not reserved for it",
    observes: [
      onKind(pods, ({ type, object, before }, check) => {
        const isBound = (object.spec?.nodeName ?? "") !== "";
        if (type === "delete" || !isBound || before === undefined || (before.spec?.nodeName ?? "") !== "") return;
        for (const entry of object.spec?.resourceClaims ?? []) {
          const made = before.status?.resourceClaimStatuses?.find(({ name }) => name === entry.name);
          const name = entry.resourceClaimName ?? made?.resourceClaimName;
          const status = known
            .of(resourceClaims)
            .get(`resource.k8s.io/resourceclaims/${object.metadata.namespace}/${name}`)?.status;
          const isReserved = (status?.reservedFor ?? []).some(({ uid }) => uid === object.metadata.uid);
          const hasDevices = status?.allocation !== undefined;
          check(
            hasDevices && isReserved
              ? undefined
              : `${nameOf(object)} is bound, and its claim ${name} ${hasDevices ? "is not reserved for it" : "has no devices"}`,
          );
        }
      }),
    ],
  };
}
