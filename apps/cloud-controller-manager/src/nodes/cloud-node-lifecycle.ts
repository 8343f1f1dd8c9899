import { isApiError, type Node, nodes, parseKey } from "@kintsugi/api";
import { done, on, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import { type CloudContext, defineCloudController } from "../context.ts";
import { hasShutdownTaint, isInDoubt, planLifecycle } from "./plan-lifecycle.ts";

/**
 * Deletes nodes whose machines the cloud no longer has, and taints nodes whose machines are shut
 * down. The cloud is only queried about nodes that are not ready, so that a wrong answer does not
 * harm a node whose kubelet reports.
 */
export const cloudNodeLifecycle = defineCloudController({
  name: "cloud-node-lifecycle",
  options: {},
  roles: [],
  events: "cloud-node-lifecycle-controller",
  reads: [nodes],
  create: (context) => ({
    workers: 1,
    keys: nodes,
    watches: [
      on(nodes, ({ type, object }) =>
        type !== "deleted" && (isInDoubt(object) || hasShutdownTaint(object)) ? [object.metadata.name ?? ""] : [],
      ),
    ],
    reconcile: (key, signal) => reconcile(context, key, signal),
  }),
});

async function reconcile(context: CloudContext, key: string, signal: AbortSignal): Promise<ReconcileResult> {
  const { informers, cloud, clock, timers } = context;
  const node = informers.of(nodes).find(parseKey(key));
  if (node === undefined || node.metadata.deletionTimestamp !== undefined) return done;
  const doubt = isInDoubt(node);
  if (!doubt && !hasShutdownTaint(node)) return done;
  const again: ReconcileResult = doubt ? { retryAfterMs: timers.nodeMonitorPeriodMs } : done;
  const { providerID = "" } = node.spec ?? {};
  const { instance } = doubt
    ? await cloud.findInstance(providerID === "" ? { name: key } : { providerId: providerID }, signal)
    : {};
  const step = planLifecycle(node, instance, clock.nowMs());
  if (step === "nothing") return again;
  try {
    await carryOut(context, { node, step }, signal);
  } catch (error) {
    if (isApiError(error, "NotFound")) return done;
    if (isApiError(error, "Conflict")) return { retryAfterMs: 50 };
    throw error;
  }
  return again;
}

async function carryOut(
  { client, log, recordEvent }: CloudContext,
  { node, step }: { node: Node; step: "delete" | { update: Node } },
  signal: AbortSignal,
): Promise<void> {
  if (step !== "delete") {
    await client.update(nodes, step.update, { signal });
    return;
  }
  const { name = "", uid, resourceVersion } = node.metadata;
  const message = `Deleting node ${name} because it does not exist in the cloud provider`;
  recordEvent({ about: referenceTo(nodes, node), type: "Normal", reason: "DeletingNode", message });
  log.info("deleting a node whose machine no longer exists", { node: name });
  // The kubelet may have reported in the meantime, or a new Node may have that name. In both cases,
  // this decision no longer applies.
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  await client.delete(nodes, { namespace: "", name }, { signal, preconditions });
}
