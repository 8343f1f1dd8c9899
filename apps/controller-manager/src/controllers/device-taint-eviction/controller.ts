import {
  formatKey,
  keyOf,
  type Pod,
  pods,
  type ResourceClaim,
  resourceClaims,
  resourceSlices,
  sameJson,
} from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { on } from "@kintsugi/controller";
import { deviceTaintEvictionRole, isPodConsumer } from "@kintsugi/rules";
import { defineController } from "../../context.ts";
import { evictionMetrics } from "../../shared/eviction-metrics.ts";
import { claimsByDevice, evictingDevices, slicesByDevice } from "./allocated-taints.ts";
import { DeviceTaintEvictionReconciler } from "./reconciler.ts";

/** Upstream's default of concurrent-device-taint-eviction-syncs. */
const workers = 10;
const names = { prefix: "device_taint_eviction_controller", controller: "DeviceTaintEvictionController" };

/**
 * Evicts pods from devices with NoExecute taints that their requests do not, or no longer,
 * tolerate.
 */
export const deviceTaintEvictionController = defineController({
  name: "device-taint-eviction",
  options: {},
  roles: [deviceTaintEvictionRole],
  events: "device-taint-eviction",
  reads: [claimsByDevice, slicesByDevice, pods],
  create(context) {
    const { informers } = context;
    const reconciler = new DeviceTaintEvictionReconciler({ context, onEvicted: evictionMetrics(context, names) });
    return {
      queue: "device_taint_eviction",
      workers,
      keys: pods,
      watches: [
        on(resourceSlices, (change) => {
          const devices = new Set(evictingDevices(change.object));
          if (change.type === "modified") for (const device of evictingDevices(change.before)) devices.add(device);
          const claims = [...devices].flatMap((device) => informers.of(resourceClaims).byIndex("device", device));
          return claims.flatMap(consumerKeys);
        }),
        on(resourceClaims, (change) => {
          const before = change.type === "modified" ? consumerKeys(change.before) : [];
          return [...new Set([...consumerKeys(change.object), ...before])];
        }),
        on(pods, (change) => {
          const pod = change.object;
          if ((pod.spec?.resourceClaims ?? []).length === 0) return [];
          const isGoing = change.type === "deleted" || pod.metadata.deletionTimestamp !== undefined;
          if (isGoing) reconciler.forget(pod);
          return !isGoing && matters(change) ? [formatKey(keyOf(pod))] : [];
        }),
      ],
      reconcile: (key) => reconciler.reconcile(key),
    };
  },
});

function consumerKeys({ metadata, status }: ResourceClaim): string[] {
  if (status?.allocation === undefined) return [];
  const { namespace = "" } = metadata;
  return (status.reservedFor ?? []).filter(isPodConsumer).map(({ name }) => formatKey({ namespace, name }));
}

/** Only a pod's node and its claims matter; its kubelet's reports do not. */
function matters(change: InformerChange<Pod>): boolean {
  if (change.type !== "modified") return true;
  const { before, object } = change;
  if (before.spec?.nodeName !== object.spec?.nodeName || before.metadata.uid !== object.metadata.uid) return true;
  return !sameJson(before.status?.resourceClaimStatuses, object.status?.resourceClaimStatuses);
}
