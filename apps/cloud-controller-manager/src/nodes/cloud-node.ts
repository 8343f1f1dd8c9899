import { isApiError, type Node, nodes, parseKey } from "@kintsugi/api";
import type { Instance } from "@kintsugi/cloud";
import { done, on, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import { type CloudContext, defineCloudController } from "../context.ts";
import { findMismatch, isUninitialized, planCloudAddresses, planInitialization } from "./plan-initialization.ts";

/** The cloud may list the machine only a moment after its kubelet registers. */
const unknownRetryMs = 1_000;

/** Sets the facts about a node that only the cloud has, and keeps its addresses up to date. */
export const cloudNode = defineCloudController({
  name: "cloud-node",
  options: {},
  roles: [],
  events: "cloud-node-controller",
  reads: [nodes],
  create: (context) => ({
    // Upstream's --concurrent-node-syncs is 1: calls to a cloud are limited.
    workers: 1,
    keys: nodes,
    watches: [on(nodes, ({ type, object }) => (type === "added" || isUninitialized(object) ? [nameOf(object)] : []))],
    reconcile: (key, signal) => reconcile(context, key, signal),
  }),
});

async function reconcile(context: CloudContext, key: string, signal: AbortSignal): Promise<ReconcileResult> {
  const { informers, cloud, timers } = context;
  const node = informers.of(nodes).find(parseKey(key));
  if (node === undefined || node.metadata.deletionTimestamp !== undefined) return done;
  const providerId = node.spec?.providerID ?? "";
  const { instance } = await cloud.findInstance(providerId === "" ? { name: nameOf(node) } : { providerId }, signal);
  // The lifecycle controller handles machines that no longer exist.
  if (instance === undefined)
    return { retryAfterMs: isUninitialized(node) ? unknownRetryMs : timers.nodeStatusUpdateMs };
  try {
    await (isUninitialized(node) ? initialize : refresh)(context, { node, instance }, signal);
  } catch (error) {
    if (isApiError(error, "NotFound")) return done;
    // A kubelet writes its status every few seconds.
    if (isApiError(error, "Conflict")) return { retryAfterMs: 50 };
    throw error;
  }
  return { retryAfterMs: timers.nodeStatusUpdateMs };
}

interface Machine {
  readonly node: Node;
  readonly instance: Instance;
}

/**
 * The addresses are written first, because without the taint, pods that read them are placed on the
 * node.
 */
async function initialize(context: CloudContext, { node, instance }: Machine, signal: AbortSignal): Promise<void> {
  const { client, log, recordEvent } = context;
  const mismatch = findMismatch(node, instance);
  if (mismatch !== undefined) {
    recordEvent({ about: referenceTo(nodes, node), type: "Warning", reason: "NodeNotInitialized", message: mismatch });
    throw new Error(mismatch);
  }
  const status = planCloudAddresses(node, instance);
  const current =
    status === undefined ? node : await client.update(nodes, { ...node, status }, { subresource: "status", signal });
  await client.update(nodes, planInitialization(current, instance), { signal });
  log.info("node initialized", { node: nameOf(node), providerId: instance.providerId, zone: instance.zone });
  recordEvent({
    about: referenceTo(nodes, node),
    type: "Normal",
    reason: "Synced",
    message: "Node synced successfully",
  });
}

async function refresh({ client }: CloudContext, { node, instance }: Machine, signal: AbortSignal): Promise<void> {
  if (findMismatch(node, instance) !== undefined) return;
  const status = planCloudAddresses(node, instance);
  if (status !== undefined) await client.update(nodes, { ...node, status }, { subresource: "status", signal });
}

function nameOf({ metadata }: Node): string {
  return metadata.name ?? "";
}
