import { isApiError, type Node, nodes, type Pod, pods } from "@kintsugi/api";
import { type Client, evictPod } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import type { CloudProvider } from "@kintsugi/cloud";
import { type RecordEvent, referenceTo } from "@kintsugi/controller";
import type { Logger } from "@kintsugi/api";
import { toBeDeletedKey } from "./model/world.ts";
import type { Action } from "./plan/plan-look.ts";

export interface PerformDeps {
  client: Client;
  clock: Clock;
  cloud: CloudProvider;
  log: Logger;
  recordEvent: RecordEvent;
}

/** An eviction that a budget rejects is retried at the next inspection. */
const callTimeoutMs = 10_000;

/** Performs one action. @throws CloudError, ApiError; a later inspection decides again. */
export async function perform(deps: PerformDeps, action: Action, signal: AbortSignal): Promise<void> {
  const { cloud, log, recordEvent } = deps;
  switch (action.do) {
    case "resize": {
      const { group, to, pods: helped } = action;
      await cloud.resizeNodeGroup({ group: group.name, from: group.target, to }, signal);
      log.info("machines ordered", { group: group.name, from: group.target, to, pods: helped.length });
      const message = `pod triggered scale-up: [{${group.name} ${group.target}->${to} (max: ${group.max})}]`;
      for (const pod of helped)
        recordEvent({ about: referenceTo(pods, pod), type: "Normal", reason: "TriggeredScaleUp", message });
      return;
    }
    case "report unhelped": {
      const message = `pod didn't trigger scale-up: ${action.because}`;
      recordEvent({ about: referenceTo(pods, action.pod), type: "Normal", reason: "NotTriggerScaleUp", message });
      return;
    }
    case "begin removal": {
      const { node, pods: moving } = action.leaving;
      await setTaint(deps, node, signal);
      log.info("node is to be removed", { node: node.metadata.name ?? "", pods: moving.length });
      const message = `marked the node as toBeDeleted/unschedulable; ${moving.length} pods have to move`;
      recordEvent({ about: referenceTo(nodes, node), type: "Normal", reason: "ScaleDown", message });
      return;
    }
    case "evict":
      return evict(deps, action.pod, signal);
    case "removal of a node aborted": {
      await removeTaint(deps, action.node, signal);
      const message = `failed to drain the node: ${action.because}`;
      recordEvent({ about: referenceTo(nodes, action.node), type: "Warning", reason: "ScaleDownFailed", message });
      return;
    }
    case "delete machine": {
      const { group, providerId, node, because } = action;
      await cloud.deleteMachines({ group: group.name, providerIds: [providerId] }, signal);
      log.info("machine returned to the cloud", { group: group.name, providerId, because });
      if (node === undefined) return;
      const message = `node removed by cluster autoscaler: ${because}`;
      recordEvent({ about: referenceTo(nodes, node), type: "Normal", reason: "ScaleDown", message });
    }
  }
}

/**
 * The value is the time in seconds, as in upstream's `ToBeDeletedTaint`, so that another process
 * can continue.
 */
async function setTaint({ client, clock }: PerformDeps, node: Node, signal: AbortSignal): Promise<void> {
  const taint = { key: toBeDeletedKey, value: String(Math.floor(clock.nowMs() / 1000)), effect: "NoSchedule" as const };
  const taints = [...(node.spec?.taints ?? []), taint];
  // The write names the revision of the inspection, because later changes of the node have to be
  // inspected first.
  await client.update(nodes, { ...node, spec: { ...node.spec, taints } }, { signal });
}

async function removeTaint({ client }: PerformDeps, { metadata }: Node, signal: AbortSignal): Promise<void> {
  const node = await client.find(nodes, { namespace: "", name: metadata.name ?? "" }, { signal });
  if (node === undefined) return;
  const taints = (node.spec?.taints ?? []).filter(({ key }) => key !== toBeDeletedKey);
  const { taints: _, ...spec } = node.spec ?? {};
  await client.update(nodes, { ...node, spec: taints.length === 0 ? spec : { ...spec, taints } }, { signal });
}

async function evict({ client, log, recordEvent }: PerformDeps, pod: Pod, signal: AbortSignal): Promise<void> {
  const { namespace = "", name = "" } = pod.metadata;
  try {
    await evictPod(client, pod, { signal, timeoutMs: callTimeoutMs });
    const message = "deleting pod for node scale down";
    recordEvent({ about: referenceTo(pods, pod), type: "Normal", reason: "ScaleDown", message });
  } catch (error) {
    if (!isApiError(error, "NotFound", "Conflict", "TooManyRequests")) throw error;
    log.debug("a pod cannot be evicted now", { pod: `${namespace}/${name}`, error });
  }
}
