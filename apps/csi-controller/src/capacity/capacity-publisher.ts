import {
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  isApiError,
  nodes,
  parseKey,
  persistentVolumes,
  type StorageClass,
  storageClasses,
} from "@kintsugi/api";
import { done, on, type ReconcileResult } from "@kintsugi/controller";
import { defineStorageController, type StorageContext } from "../context.ts";
import { topologiesFor } from "../provisioner/plan-volume.ts";
import { driverParameters } from "../secrets.ts";
import { capacityObject, isOwnCapacity, planCapacities } from "./plan-capacity.ts";

/**
 * Upstream's --capacity-poll-interval, because other programs may use capacity without the
 * cluster's knowledge.
 */
const pollMs = 60_000;

/** Publishes the driver's capacity for each of its classes, by topology segment. */
export const capacityPublisher = defineStorageController({
  name: "capacity",
  options: {},
  roles: [],
  reads: [storageClasses, csiDrivers, csiNodes, nodes, persistentVolumes, csiStorageCapacities],
  create(context) {
    const { informers } = context;
    const allClasses = () =>
      informers
        .of(storageClasses)
        .list()
        .map(({ metadata }) => metadata.name ?? "");
    return {
      // Upstream's default of --capacity-threads.
      workers: 1,
      keys: storageClasses,
      watches: [
        on(storageClasses),
        on(csiNodes, allClasses),
        on(csiDrivers, allClasses),
        // Each volume that is created or deleted changes the capacity of all classes of its driver.
        on(persistentVolumes, ({ type, object }) =>
          type !== "modified" && object.spec?.csi?.driver === context.driverName ? allClasses() : [],
        ),
        on(csiStorageCapacities, ({ object }) =>
          isOwnCapacity(object, context.driverName) ? [object.storageClassName] : [],
        ),
      ],
      reconcile: (key, signal) => reconcile(context, key, signal),
    };
  },
});

async function reconcile(context: StorageContext, key: string, signal: AbortSignal): Promise<ReconcileResult> {
  const { informers, driverName, client } = context;
  const { name } = parseKey(key);
  const storageClass = informers.of(storageClasses).find({ namespace: "", name });
  const driver = informers.of(csiDrivers).find({ namespace: "", name: driverName });
  const isWanted = storageClass?.provisioner === driverName && driver?.spec.storageCapacity === true;
  const present = informers
    .of(csiStorageCapacities)
    .list()
    .filter((each) => each.storageClassName === name && isOwnCapacity(each, driverName));
  if (!isWanted && present.length === 0) return done;
  const wanted = isWanted ? await measure(context, storageClass, signal) : [];
  const plan = planCapacities(wanted, present);
  try {
    for (const object of plan.create) await client.create(csiStorageCapacities, object, { signal });
    for (const object of plan.update) await client.update(csiStorageCapacities, object, { signal });
    for (const { metadata } of plan.remove) {
      const { namespace = "", name: gone = "" } = metadata;
      await client.delete(csiStorageCapacities, { namespace, name: gone }, { signal });
    }
  } catch (error) {
    // The copy of the objects is outdated; the copy will catch up.
    if (isApiError(error, "Conflict", "AlreadyExists", "NotFound")) return { retryAfterMs: 100 };
    throw error;
  }
  return isWanted ? { retryAfterMs: pollMs } : done;
}

async function measure(context: StorageContext, storageClass: StorageClass, signal: AbortSignal) {
  const { informers, driver, driverName } = context;
  const { capabilities } = await driver.controllerGetCapabilities({}, signal);
  if (!capabilities.some(({ rpc }) => rpc?.type === "GET_CAPACITY")) return [];
  const findNode = (nodeName: string) => informers.of(nodes).find({ namespace: "", name: nodeName });
  const places = topologiesFor(undefined, { driverName, csiNodes: informers.of(csiNodes).list(), findNode });
  const found = [];
  for (const topology of places) {
    const request = { parameters: driverParameters(storageClass), accessibleTopology: topology };
    const { availableCapacity } = await driver.getCapacity(request, signal);
    const storageClassName = storageClass.metadata.name ?? "";
    found.push(capacityObject({ driverName, storageClassName, topology, availableBytes: availableCapacity }));
  }
  return found;
}
