import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { nodeCgroup } from "@kintsugi/lab";
import { type BenchCluster, processUsage } from "../bench-cluster.ts";

/**
 * Returns the processor time of a cgroup and all below it, in milliseconds, without other work on
 * the machine.
 */
export async function cgroupProcessorMs(path: string): Promise<number> {
  const v1 = `/sys/fs/cgroup/cpuacct${path}/cpuacct.usage`;
  if (existsSync(v1)) return Number(await readFile(v1, "utf8")) / 1e6;
  const statistics = await readFile(`/sys/fs/cgroup${path}/cpu.stat`, "utf8");
  return Number(/^usage_usec (\d+)/m.exec(statistics)?.[1] ?? Number.NaN) / 1000;
}

/**
 * Returns the processor time of each process of the control plane so far, in milliseconds, by id.
 */
export async function controlPlaneTimes(cluster: BenchCluster): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const { id, pid } of (await cluster.status()).components)
    // The programs of a node have its name after an "@".
    if (pid !== undefined && !id.includes("@")) times.set(id, (await processUsage(pid)).cpuSeconds * 1000);
  return times;
}

/** The processor time of each part of a cluster of one node so far, in milliseconds. */
export interface ProcessorTimes {
  kubelet: number;
  controlPlane: number;
  /** containerd, its shims, runc, the network's plugins, and the pods themselves. */
  runtime: number;
}

export async function processorTimes(cluster: BenchCluster): Promise<ProcessorTimes> {
  const { components } = await cluster.status();
  const { spec } = cluster.known;
  const [node] = spec.nodes;
  if (!node) throw new Error(`cluster ${spec.name} has no node`);
  const times = { kubelet: 0, controlPlane: 0, runtime: await cgroupProcessorMs(nodeCgroup(spec, node)) };
  for (const { id, pid } of components) {
    if (pid === undefined || id.startsWith("containerd@")) continue;
    const usedMs = (await processUsage(pid)).cpuSeconds * 1000;
    if (id.startsWith("kubelet@")) times.kubelet += usedMs;
    else if (!id.includes("@")) times.controlPlane += usedMs;
    // The programs of the node are in the node's cgroup.
    if (id.includes("@")) times.runtime -= usedMs;
  }
  return times;
}
