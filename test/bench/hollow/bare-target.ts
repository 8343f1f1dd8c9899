import { formatTimestamp, hollowLabel, type Node, nodes, zoneLabel } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { systemClock } from "@kintsugi/clock";
import { eachOf } from "../each-of.ts";
import { controlPlanePids, type MeasuredCluster, openControlPlane, usageOf } from "./hollow-target.ts";

/** The profile of the control plane; its timers are not used. */
const profile = "default";
const zones = 3;

/**
 * A cluster of this host whose nodes are only objects, as in upstream's scheduler_perf: the API
 * server and the scheduler work, and the controllers, which upstream's harness does not start, are
 * stopped. So nodes are not considered down, and a pod is measured from its creation to its
 * binding.
 */
export async function openBareTarget(count: number): Promise<MeasuredCluster> {
  const cluster = await openControlPlane(profile);
  const { client } = cluster;
  let controllers: number | undefined;
  const end = async () => {
    // A stopped process does not react to a request to exit.
    if (controllers !== undefined) process.kill(controllers, "SIGCONT");
    await cluster[Symbol.asyncDispose]();
  };
  try {
    const pids = await controlPlanePids(cluster);
    controllers = pids.get("controller-manager");
    if (controllers === undefined) throw new Error("the cluster has no controller-manager to stop");
    process.kill(controllers, "SIGSTOP");
    const nodeNames = Array.from({ length: count }, (_, index) => `bare-${index + 1}`);
    await eachOf([...nodeNames.entries()], ([index, name]) => addNode(client, name, `zone-${(index % zones) + 1}`));
    return { client, nodeNames, usage: () => usageOf(pids), [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function addNode(client: Client, name: string, zone: string): Promise<void> {
  const key = { namespace: "", name };
  const labels = { "kubernetes.io/hostname": name, [zoneLabel]: zone, [hollowLabel]: "true" };
  await client.create(nodes, { metadata: { name, labels } });
  await client.patch(nodes, key, { type: "merge", body: { status: readyStatus() } }, { subresource: "status" });
  // The taint of new nodes, which a controller would remove.
  await client.patch(nodes, key, { type: "merge", body: { spec: { taints: null } } });
}

/** The capacity of scheduler_perf's node template. */
function readyStatus(): Node["status"] {
  const time = formatTimestamp(systemClock.nowMs());
  const room = { cpu: "4", memory: "32Gi", pods: "110" };
  return {
    capacity: room,
    allocatable: room,
    conditions: [
      { type: "Ready", status: "True", reason: "KubeletReady", lastHeartbeatTime: time, lastTransitionTime: time },
    ],
  };
}
