import { endpoints, formatKey, keyOf, pods, services } from "@kintsugi/api";
import { on } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { indexedPods, indexedServices } from "../../shared/indexed-kinds.ts";
import { ServicePods } from "../../shared/service-endpoints/service-pods.ts";
import { endpointsOptions } from "./options.ts";
import { EndpointsReconciler } from "./reconciler.ts";
import { endpointsRole } from "@kintsugi/rules";

/**
 * Writes the addresses of the pods behind each Service into one Endpoints object, for older
 * clients.
 */
export const endpointsController = defineController({
  name: "endpoints",
  options: endpointsOptions,
  roles: [endpointsRole],
  events: "endpoint-controller",
  reads: [indexedServices, endpoints, indexedPods],
  create(context) {
    const { informers, options } = context;
    const servicePods = new ServicePods(informers);
    const reconciler = new EndpointsReconciler({ context, servicePods });
    return {
      queue: "endpoint",
      workers: options.concurrentEndpointSyncs,
      keys: services,
      // Endpoints whose Service was deleted while this process was not running are deleted too.
      // This happens only at the start, because later a client may write Endpoints before their
      // Service.
      keysAtStart: () =>
        informers
          .of(endpoints)
          .list()
          .map((left) => formatKey(keyOf(left))),
      watches: [
        on(services),
        on(pods, (change) => servicePods.keysFor(change), { afterMs: options.endpointUpdatesBatchPeriodMs }),
        // The controller waits for its own writes to reach the cache: otherwise a change back to
        // the cache's old state would look like no change, and would be lost. A client may write
        // Endpoints before their Service, though.
        on(endpoints, ({ type, object }) =>
          type === "deleted" || servicePods.services.find(keyOf(object)) ? [formatKey(keyOf(object))] : [],
        ),
      ],
      reconcile: (key) => reconciler.reconcile(key),
    };
  },
});
