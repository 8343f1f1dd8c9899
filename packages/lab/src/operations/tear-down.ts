import { existsSync } from "node:fs";
import { readdir, readFile, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { nodesMax } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { mountPoints, removeTree } from "@kintsugi/daemon";
import { killCgroup, removeCgroup, removeCgroupIfEmpty } from "../host/cgroups.ts";
import { forgetSandboxNetworks } from "../containerd/cni-results.ts";
import { hasEgress, removeEgress } from "../network/egress.ts";
import { removeNetwork } from "../network/network.ts";
import { registeredDataRoot, registryDirectory, registryFile } from "../cluster/cluster-files.ts";
import {
  clusterCgroup,
  type ClusterPaths,
  clusterPaths,
  memoryRoot,
  nodePaths,
  runRoot,
} from "../cluster/cluster-paths.ts";
import type { ClusterSpec } from "../cluster/cluster-spec.ts";
import { defaultDataRoot } from "../settings/command/data-dir.ts";
import { planServers } from "../settings/control-plane/servers.ts";
import { withHostLock } from "../cluster/host-lock.ts";
import { unmountBelow } from "../host/unmount.ts";

/**
 * Removes everything that a cluster has on this host: processes, mounts, links, namespaces,
 * cgroups, files. Does not need a supervisor, is repeatable, and works on the remains of a crash at
 * any moment. Returns whether anything existed.
 */
export async function tearDown(clock: Clock, name: string): Promise<boolean> {
  const dataRoot = (await registeredDataRoot(name)) ?? defaultDataRoot;
  const paths = clusterPaths(dataRoot, name);
  const existed = existsSync(registryFile(name)) || existsSync(paths.run);
  const cgroup = clusterCgroup({ name });
  await killCgroup(clock, cgroup);
  await unmountBelow([paths.run, paths.data]);
  await removeNetwork(await specOrWidest(paths, name));
  await removeEgress(name);
  await removeCgroup(clock, cgroup);
  await removeCgroupIfEmpty(dirname(cgroup));
  // The registry entry is removed last, because until then a second `down` can still find the
  // directories.
  for (const path of [paths.run, paths.memory]) await removeTree(path);
  if (existed) {
    const nodes = await readdir(join(paths.data, "nodes")).catch(() => []);
    await forgetSandboxNetworks(nodes.map((name) => nodePaths(paths, { name }).containerdRoot));
    await removeTree(paths.data);
  }
  // The lock prevents the removal while another cluster is being reserved in these directories.
  await withHostLock(clock, async () => {
    await rm(registryFile(name), { force: true });
    for (const directory of [registryDirectory, defaultDataRoot, runRoot, memoryRoot])
      await rmdir(directory).catch(() => {});
  });
  return existed;
}

/**
 * The cluster's description; if it was lost, a description that covers everything that a cluster of
 * that name can have created.
 */
async function specOrWidest(paths: ClusterPaths, name: string): Promise<ClusterSpec> {
  try {
    return JSON.parse(await readFile(paths.specFile, "utf8")) as ClusterSpec;
  } catch {
    const nodes = Array.from({ length: nodesMax }, (_, i) => ({ name: `node-${i + 1}`, index: i + 1 }));
    const servers = planServers(5) ?? [];
    return { formatVersion: 1, name, profile: "default", nodes, servers, apiPort: 0, subnet: 0, createdAtMs: 0 };
  }
}

/** Lists the parts of a cluster that are still on this host; empty after `tearDown`. */
export async function findLeftovers(name: string): Promise<string[]> {
  const paths = clusterPaths((await registeredDataRoot(name)) ?? defaultDataRoot, name);
  const found = [paths.run, paths.memory, paths.data, registryFile(name)].filter((path) => existsSync(path));
  const hierarchies = await readdir("/sys/fs/cgroup").catch(() => []);
  for (const hierarchy of ["", ...hierarchies]) {
    const directory = join("/sys/fs/cgroup", hierarchy, clusterCgroup({ name }));
    if (existsSync(directory)) found.push(directory);
  }
  const mounts = (await mountPoints()).filter(
    (point) => point.startsWith(`${paths.run}/`) || point.startsWith(`${paths.data}/`),
  );
  return [
    ...found,
    ...mounts,
    ...((await hasEgress(name)) ? [`rules of iptables with the comment kintsugi:${name}`] : []),
  ];
}
