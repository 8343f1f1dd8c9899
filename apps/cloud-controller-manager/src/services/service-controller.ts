import { formatKey, isApiError, keyOf, nodes, parseKey, sameJson, type Service, services } from "@kintsugi/api";
import { done, type EventNote, on, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import { type CloudContext, defineCloudController } from "../context.ts";
import {
  balancerFinalizer,
  balancerName,
  balancerFailure,
  hasFinalizer,
  isTarget,
  planBalancer,
  planBalancerStatus,
  wantsBalancer,
} from "./plan-balancer.ts";

// The steps of a Service:
//
//   type LoadBalancer ─► finalizer ─► balancer in the cloud ─► status.loadBalancer.ingress
//   deleted, or of another type ─► balancer deleted ─► status empty ─► finalizer removed

/** Creates the load balancers of Services of the type LoadBalancer, and deletes them. */
export const serviceController = defineCloudController({
  name: "service",
  options: {},
  roles: [],
  events: "service-controller",
  reads: [services, nodes],
  create: (context) => ({
    // Upstream's --concurrent-service-syncs is 1: calls to a cloud are limited.
    workers: 1,
    keys: services,
    watches: [
      on(services),
      on(nodes, (change) => {
        const { object } = change;
        // Kubelets write their Nodes every few seconds; only the set of targets matters.
        const before = change.type === "modified" && isTarget(change.before);
        const after = change.type !== "deleted" && isTarget(object);
        if (change.type === "modified" && before === after) return [];
        return context.informers
          .of(services)
          .list()
          .filter(wantsBalancer)
          .map((service) => formatKey(keyOf(service)));
      }),
    ],
    reconcile: (key, signal) => reconcile(context, key, signal),
  }),
});

async function reconcile(context: CloudContext, key: string, signal: AbortSignal): Promise<ReconcileResult> {
  const service = context.informers.of(services).find(parseKey(key));
  // The Service no longer exists, and its balancer was deleted because of its finalizer.
  if (service === undefined) return done;
  try {
    if (wantsBalancer(service)) {
      await ensure(context, service, signal);
      return { retryAfterMs: context.timers.serviceSyncPeriodMs };
    }
    if (hasFinalizer(service)) await remove(context, service, signal);
    return done;
  } catch (error) {
    if (isApiError(error, "NotFound")) return done;
    if (isApiError(error, "Conflict")) return { retryAfterMs: 50 };
    note(context, service, { type: "Warning", reason: "SyncLoadBalancerFailed", message: balancerFailure(error) });
    throw error;
  }
}

async function ensure(context: CloudContext, service: Service, signal: AbortSignal): Promise<void> {
  const { client, cloud, informers } = context;
  const wanted = planBalancer(service, informers.of(nodes).list());
  if ("because" in wanted) throw new Error(wanted.because);
  const held = hasFinalizer(service) ? service : await addFinalizer(context, service, signal);
  const { balancer: before } = await cloud.findLoadBalancer({ name: wanted.name }, signal);
  const isSame = before !== undefined && sameJson(before.spec, wanted);
  if (!isSame) {
    const message = before === undefined ? "Ensuring load balancer" : "Updating load balancer";
    note(context, held, { type: "Normal", reason: "EnsuringLoadBalancer", message });
  }
  if (wanted.targets.length === 0)
    note(context, held, {
      type: "Warning",
      reason: "UnAvailableLoadBalancer",
      message: "There are no available nodes for LoadBalancer",
    });
  const balancer = isSame ? before : (await cloud.ensureLoadBalancer({ spec: wanted }, signal)).balancer;
  const status = planBalancerStatus(held, balancer);
  if (!sameJson(status, held.status ?? {}))
    await client.update(services, { ...held, status }, { subresource: "status", signal });
  if (!isSame) note(context, held, { type: "Normal", reason: "EnsuredLoadBalancer", message: "Ensured load balancer" });
}

/** A Service that was deleted without the finalizer would leave a balancer behind. */
function addFinalizer({ client }: CloudContext, service: Service, signal: AbortSignal): Promise<Service> {
  const finalizers = [...(service.metadata.finalizers ?? []), balancerFinalizer];
  return client.update(services, { ...service, metadata: { ...service.metadata, finalizers } }, { signal });
}

async function remove(context: CloudContext, service: Service, signal: AbortSignal): Promise<void> {
  const { client, cloud } = context;
  note(context, service, { type: "Normal", reason: "DeletingLoadBalancer", message: "Deleting load balancer" });
  await cloud.deleteLoadBalancer({ name: balancerName(service) }, signal);
  const status = planBalancerStatus(service, undefined);
  const current = sameJson(status, service.status ?? {})
    ? service
    : await client.update(services, { ...service, status }, { subresource: "status", signal });
  const finalizers = (current.metadata.finalizers ?? []).filter((each) => each !== balancerFinalizer);
  await client.update(services, { ...current, metadata: { ...current.metadata, finalizers } }, { signal });
  note(context, service, { type: "Normal", reason: "DeletedLoadBalancer", message: "Deleted load balancer" });
}

function note({ recordEvent }: CloudContext, service: Service, event: Omit<EventNote, "about">): void {
  recordEvent({ about: referenceTo(services, service), ...event });
}
