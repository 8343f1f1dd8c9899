import {
  formatMicroTime,
  formatTimestamp,
  isConditionTrue,
  leases,
  type Node,
  nodeLeaseNamespace,
  nodes,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { systemClock } from "@kintsugi/clock";
import { eventually } from "../../support/run-program.ts";

/** A kubelet's default. */
export const podsPerNode = 110;
/** A kubelet's defaults: the Lease lasts 40 s and is renewed every quarter of that. */
const leaseDurationSeconds = 40;
const renewEveryMs = 10_000;

/**
 * Nodes that exist only in the API: they are Ready and have room, but a kubelet does not run the
 * pods that are bound to them.
 */
export interface HollowNodes {
  /**
   * Ends the renewals.
   * @throws the first error of a renewal: the nodes may have been lost in the meantime.
   */
  stop(): Promise<void>;
}

/** Resolves once all of them are schedulable. The nodes are removed with their cluster. */
export async function addHollowNodes(client: Client, count: number): Promise<HollowNodes> {
  const names = Array.from({ length: count }, (_, index) => `hollow-${index + 1}`);
  for (const name of names) await addNode(client, name);
  const stopping = new AbortController();
  const renewals = keepRenewing(client, names, stopping.signal);
  // The error is reported by `stop`; until then it must not end the run.
  renewals.catch(() => {});
  await eventually(`${count} hollow nodes accept pods`, async () => {
    const { items } = await client.list(nodes);
    return (
      items.filter(({ metadata, spec, status }) => {
        const isHollow = metadata.name?.startsWith("hollow-") === true;
        return isHollow && isConditionTrue(status?.conditions, "Ready") && (spec?.taints ?? []).length === 0;
      }).length === count
    );
  });
  return {
    stop: () => {
      stopping.abort();
      return renewals;
    },
  };
}

async function addNode(client: Client, name: string): Promise<void> {
  await client.create(nodes, {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name } },
  });
  await client.create(leases, {
    metadata: { name, namespace: nodeLeaseNamespace },
    spec: { holderIdentity: name, leaseDurationSeconds, renewTime: formatMicroTime(systemClock.nowMs()) },
  });
  await client.patch(
    nodes,
    { namespace: "", name },
    { type: "merge", body: { status: readyStatus() } },
    { subresource: "status" },
  );
}

/**
 * The capacity of a large machine, so that pods are the only resource that a node can run out of.
 */
function readyStatus(): Node["status"] {
  const time = formatTimestamp(systemClock.nowMs());
  const heartbeat = { lastHeartbeatTime: time, lastTransitionTime: time };
  const condition = (type: string, status: "True" | "False", reason: string) => ({
    type,
    status,
    reason,
    ...heartbeat,
  });
  return {
    capacity: { cpu: "32", memory: "256Gi", pods: String(podsPerNode) },
    conditions: [
      condition("MemoryPressure", "False", "KubeletHasSufficientMemory"),
      condition("DiskPressure", "False", "KubeletHasNoDiskPressure"),
      condition("PIDPressure", "False", "KubeletHasSufficientPID"),
      condition("Ready", "True", "KubeletReady"),
    ],
  };
}

/**
 * Renewals are spread over the interval, as the renewals of kubelets that started at different
 * times.
 */
async function keepRenewing(client: Client, names: readonly string[], signal: AbortSignal): Promise<void> {
  for (let next = 0; !signal.aborted; next = (next + 1) % names.length) {
    const slept = systemClock.sleep(renewEveryMs / names.length, signal);
    await slept.catch(() => {});
    if (signal.aborted) return;
    await client.patch(
      leases,
      { namespace: nodeLeaseNamespace, name: names[next] ?? "" },
      { type: "merge", body: { spec: { renewTime: formatMicroTime(systemClock.nowMs()) } } },
    );
  }
}
