import { isApiError, type Node, nodes } from "@kintsugi/api";
import { isCloudError, type CloudRoute } from "@kintsugi/cloud";
import { referenceTo } from "@kintsugi/controller";
import { type CloudContext, defineCloudController } from "../context.ts";
import { planNetworkCondition, planCloudRoutes, routeOf } from "./plan-routes.ts";

/** Makes the cloud direct packets to the pods of each node, with no other routes. */
export const routeController = defineCloudController({
  name: "route",
  options: {},
  roles: [],
  events: "route_controller",
  reads: [nodes],
  create: (context) => ({
    periodic: { periodMs: context.routes?.periodMs ?? idlePeriodMs, work: (signal) => keepRoutes(context, signal) },
  }),
});

/** A cluster whose network has its own routes does not request routes from the cloud. */
const idlePeriodMs = 3_600_000;

async function keepRoutes(context: CloudContext, signal: AbortSignal): Promise<void> {
  const { cloud, informers, log, routes: settings } = context;
  if (settings === undefined) return;
  try {
    const present = informers.of(nodes).list();
    const { routes } = await cloud.listRoutes({}, signal);
    const { ensure, remove } = planCloudRoutes(present, routes, settings.clusterRange);
    for (const { cidr, target } of remove) await cloud.deleteRoute({ cidr, target }, signal);
    const failed = new Set<string>();
    for (const route of ensure) if (!(await create(context, route, signal))) failed.add(route.target);
    for (const node of present)
      if (routeOf(node) !== undefined)
        await report(context, { node, hasRoute: !failed.has(node.metadata.name ?? "") }, signal);
  } catch (error) {
    if (signal.aborted || (!isCloudError(error) && !isApiError(error))) throw error;
    log.warn("routes are compared again at the next interval", { error });
  }
}

async function create(context: CloudContext, route: CloudRoute, signal: AbortSignal): Promise<boolean> {
  const { cloud, informers, log, recordEvent } = context;
  try {
    await cloud.ensureRoute({ route }, signal);
    log.info("route created", { ...route });
    return true;
  } catch (error) {
    if (signal.aborted || !isCloudError(error)) throw error;
    const node = informers.of(nodes).find({ namespace: "", name: route.target });
    const message = `Could not create route ${route.cidr} for node ${route.target}: ${error.message}`;
    if (node !== undefined)
      recordEvent({ about: referenceTo(nodes, node), type: "Warning", reason: "FailedToCreateRoute", message });
    return false;
  }
}

async function report(
  { client, clock }: CloudContext,
  { node, hasRoute }: { node: Node; hasRoute: boolean },
  signal: AbortSignal,
): Promise<void> {
  const status = planNetworkCondition(node, { hasRoute, nowMs: clock.nowMs() });
  if (status === undefined) return;
  await client.update(nodes, { ...node, status }, { subresource: "status", signal }).catch((error: unknown) => {
    // A kubelet writes its status every few seconds; the next comparison retries.
    if (!isApiError(error, "Conflict", "NotFound")) throw error;
  });
}
