import { rename } from "node:fs/promises";
import { systemClock } from "@kintsugi/clock";
import { createCsiClient, type CsiCallName, type CsiDriver, serveCsi } from "@kintsugi/csi";
import { findCluster, nodePaths } from "@kintsugi/lab";
import type { LabCluster } from "../lab-cluster.ts";
import { kill } from "./write-killer.ts";

/**
 * A proxy between a node's kubelet and its storage driver, which kills the kubelet at its calls.
 */
export interface DriverFront extends AsyncDisposable {
  /** "nodeStageVolume before" and so on, in the order of a pod's life. */
  planned(): readonly string[];
  /** The kills that have happened, in the same form. */
  deaths(): readonly string[];
}

const calls = [
  "nodeStageVolume",
  "nodePublishVolume",
  "nodeUnpublishVolume",
  "nodeUnstageVolume",
] as const satisfies readonly CsiCallName[];
const planned = calls.flatMap((call) => [`${call} before`, `${call} after`]);

/** Far more than the driver needs. */
const callTimeoutMs = 60_000;

/** The kubelet is restarted, so that it connects to the front. */
export async function startDriverFront(cluster: LabCluster, node: string): Promise<DriverFront> {
  const known = await findCluster(cluster.name);
  if (known === undefined) throw new Error(`there is no cluster ${cluster.name}`);
  const { csiSocket } = nodePaths(known.paths, { name: node });
  // A server continues under another name of its socket.
  const behind = `${csiSocket}.behind`;
  await rename(csiSocket, behind);
  const driver = createCsiClient({ clock: systemClock }, { endpoint: `unix://${behind}`, callTimeoutMs });
  const kubelet = `kubelet@${node}`;
  const deaths: string[] = [];
  const dies = async (death: string) => {
    if (deaths.includes(death)) return;
    deaths.push(death);
    await kill(cluster, kubelet);
    // The kubelet that sent the request no longer exists, and the request has no further effect.
    throw new Error(`${kubelet} is dead`);
  };
  const deadly = calls.map((name) => {
    const passOn = driver[name] as (request: object, signal?: AbortSignal) => Promise<object>;
    const call = async (request: object, signal?: AbortSignal) => {
      await dies(`${name} before`);
      const answer = await passOn(request, signal);
      await dies(`${name} after`);
      return answer;
    };
    return [name, call] as const;
  });
  const front = { ...driver, ...Object.fromEntries(deadly) } as unknown as CsiDriver;
  const server = await serveCsi(front, csiSocket);
  await kill(cluster, kubelet);
  return {
    planned: () => planned,
    deaths: () => deaths,
    async [Symbol.asyncDispose]() {
      await server.close();
      driver.close();
      await rename(behind, csiSocket);
      await kill(cluster, kubelet);
    },
  };
}
