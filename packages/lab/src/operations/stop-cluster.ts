import { existsSync } from "node:fs";
import type { Clock } from "@kintsugi/clock";
import { removeTree } from "@kintsugi/daemon";
import type { KnownCluster } from "../cluster/cluster-files.ts";
import { clusterCgroup, nodeCgroup, nodePaths, nodeSystemCgroup } from "../cluster/cluster-paths.ts";
import { killCgroup, processesIn, removeCgroup } from "../host/cgroups.ts";
import { identifyProcess, signalProcess } from "../host/process-identity.ts";
import { findRunning } from "../host/spawn-component.ts";
import { unmountBelow } from "../host/unmount.ts";
import { removeEgress } from "../network/egress.ts";
import { removeNetwork } from "../network/network.ts";
import { endSupervisor } from "./end-supervisor.ts";

export interface StopOptions {
  /** Time that the containers of pods have to end by themselves after SIGTERM. */
  graceMs: number;
}

/**
 * Ends all processes of a cluster on this host and keeps its data: for the cluster this is like a
 * power cut of the host, except that the containers could finish first. `start` starts it again.
 * Repeatable. Returns whether any process ran.
 */
export async function stopCluster(clock: Clock, cluster: KnownCluster, options: StopOptions): Promise<boolean> {
  const { spec, paths } = cluster;
  const ran = existsSync(paths.run);
  // A running supervisor would restart the processes, and a running kubelet its containers.
  await endSupervisor(clock, cluster);
  await endKubelets(cluster);
  if (options.graceMs > 0) await endPods(clock, cluster, options.graceMs);
  await killCgroup(clock, clusterCgroup(spec));
  await unmountBelow([paths.run, ...spec.nodes.map((node) => nodePaths(paths, node).data)]);
  await removeNetwork(spec);
  await removeEgress(spec.name);
  await removeCgroup(clock, clusterCgroup(spec));
  for (const path of [paths.run, paths.memory]) await removeTree(path);
  return ran;
}

async function endKubelets({ paths }: KnownCluster): Promise<void> {
  const running = await findRunning(paths.pids);
  const kubelets = [...running].filter(([id]) => id.startsWith("kubelet@"));
  await Promise.all(kubelets.map(([, identity]) => signalProcess(identity, "SIGKILL")));
}

/**
 * Sends SIGTERM to all processes of pods, and waits until they have ended or the time has passed.
 */
async function endPods(clock: Clock, { spec }: KnownCluster, graceMs: number): Promise<void> {
  const groups = spec.nodes.map((node) => [nodeCgroup(spec, node), nodeSystemCgroup(spec, node)] as const);
  const inPods = async () => {
    const found = await Promise.all(
      groups.map(async ([all, system]) => {
        const own = new Set(await processesIn(system));
        return (await processesIn(all)).filter((pid) => !own.has(pid));
      }),
    );
    return found.flat();
  };
  const asked = await Promise.all((await inPods()).map(identifyProcess));
  for (const identity of asked) if (identity !== undefined) await signalProcess(identity, "SIGTERM");
  const deadlineMs = clock.monotonicMs() + graceMs;
  while (clock.monotonicMs() < deadlineMs && (await inPods()).length > 0) await clock.sleep(50);
}
