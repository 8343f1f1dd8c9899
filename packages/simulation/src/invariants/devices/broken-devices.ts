import {
  findCondition,
  isPodTerminal,
  type Pod,
  type ResourceSlice,
  pods,
  resourceClaims,
  resourceSlices,
} from "@kintsugi/api";
import { LastingTroubles } from "../../lasting-troubles.ts";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { nameOf } from "../observed/known-objects.ts";

/** Only a taint evicts a pod from its device. */
export function workingDevicesKeepTheirPods({ known }: InvariantContext): Invariant {
  /**
   * The devices that were broken at some time; a controller may detect late that a device is
   * repaired.
   */
  const everBroken = new Set<string>();

  return {
    name: "working-devices-keep-their-pods",
    never: "a pod that is evicted from its devices although the devices never failed",
    observes: [
      onKind(resourceSlices, ({ type, object }) => {
        if (type !== "delete") for (const device of brokenIn(object)) everBroken.add(device);
      }),
      onKind(pods, ({ object }, check) => {
        const target = findCondition(object.status?.conditions, "DisruptionTarget");
        if (target?.reason !== "DeletionByDeviceTaintManager") return;
        const devices = devicesOf(object, known);
        const isWhole = devices.length > 0 && !devices.some((device) => everBroken.has(device));
        check(
          isWhole ? `${nameOf(object)} is evicted from ${devices.join(" and ")}, which has never failed` : undefined,
        );
      }),
    ],
  };
}

/** The slice wakes the controller; its deletions take the grace periods of pods. */
const keptMs = 60_000;

/**
 * Pods are evicted from broken devices, however often their controller is killed in the meantime.
 */
export function brokenDevicesAreEvicted({ known, ...context }: InvariantContext): Invariant {
  const kept = new LastingTroubles(context);

  return {
    name: "broken-devices-are-evicted",
    never: "in a quiet period, a pod that has a failed device for 60 s",
    tick(check) {
      const broken = new Set([...known.of(resourceSlices).values()].flatMap(brokenIn));
      const stale = new Set<string>();
      if (broken.size > 0) {
        for (const pod of known.of(pods).values()) {
          const isThere = !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined && pod.spec?.nodeName;
          if (!isThere) continue;
          for (const device of devicesOf(pod, known).filter((each) => broken.has(each)))
            stale.add(`${nameOf(pod)} ${pod.metadata.uid} ${device}`);
        }
      }
      for (const [key, forMs] of kept.observe(stale))
        check(forMs > keptMs ? `pod ${key} has kept its device for ${forMs} ms` : undefined);
    },
  };
}

/** "node-1/device-0": a pool belongs to one node in these runs. */
function brokenIn({ spec }: ResourceSlice): string[] {
  return (spec.devices ?? [])
    .filter(({ taints = [] }) => taints.some(({ effect }) => effect === "NoExecute"))
    .map(({ name }) => `${spec.pool.name}/${name}`);
}

function devicesOf({ metadata }: Pod, known: InvariantContext["known"]): string[] {
  return [...known.of(resourceClaims).values()]
    .filter(({ status }) => status?.reservedFor?.some(({ uid }) => uid === metadata.uid))
    .flatMap(({ status }) =>
      (status?.allocation?.devices?.results ?? []).map(({ pool, device }) => `${pool}/${device}`),
    );
}
