import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { configMaps, events, leases, nodes, pods, secrets, services, silentLogger, silentMetrics } from "@kintsugi/api";
import { type Client, createInProcessClient } from "@kintsugi/client";
import { MemoryApi } from "@kintsugi/client/testing";
import { systemClock, systemRandom } from "@kintsugi/clock";
import type { ContainerRuntime } from "@kintsugi/cri";
import {
  apiConfigSource,
  createKubelet,
  createLinuxMachine,
  createProber,
  kernelBootIdFile,
  type KernelLog,
  kubeletDefaults,
  linuxCgroups,
  linuxMounts,
  nodeFiles,
} from "@kintsugi/kubelet/factory";
import type { PrivateContainerd } from "@kintsugi/lab";

export interface KubeletOnContainerdDeps {
  client: Client;
  runtime: ContainerRuntime;
  containerd: Pick<PrivateContainerd, "directory" | "cgroupParent">;
  /** The kernel's log; without it the node does not report SystemOOM. */
  kernelLog?: KernelLog;
  /** The file that identifies this boot. Default that of the machine below. */
  bootIdFile?: string;
}

type KubeletOptions = Parameters<typeof createKubelet>[1];

/** Makes node-1's client of an API in memory, which has the kinds that a kubelet needs. */
export function createNodeClient(): Client {
  const deps = { clock: systemClock, random: systemRandom };
  const handler = new MemoryApi(deps, [pods, nodes, leases, events, secrets, configMaps, services]);
  return createInProcessClient(
    { handler, ...deps },
    { identity: { name: "system:node:node-1", groups: ["system:nodes"] } },
  );
}

/**
 * A kubelet of this process, named node-1, on a separate containerd; `overrides` replace its
 * options.
 */
export async function createKubeletOnContainerd(
  { client, runtime, containerd, kernelLog, bootIdFile = kernelBootIdFile }: KubeletOnContainerdDeps,
  memoryDirectory: string,
  overrides: Partial<KubeletOptions> = {},
): ReturnType<typeof createKubelet> {
  const rootDirectory = join(containerd.directory, "kubelet");
  const podLogsDirectory = join(containerd.directory, "logs");
  for (const directory of [rootDirectory, podLogsDirectory, memoryDirectory])
    await mkdir(directory, { recursive: true });
  return createKubelet(
    {
      client,
      runtime,
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
      metrics: silentMetrics,
      files: nodeFiles,
      mounts: linuxMounts,
      machine: createLinuxMachine({
        // A test that gives the kubelet a cgroup makes it a node with its own limit.
        cgroupRoot: overrides.cgroupRoot ?? "",
        rootDirectory,
        sharedBy: 1,
        resolvConf: "/etc/resolv.conf",
        bootIdFile,
        nodeName: "",
      }),
      prober: createProber(runtime),
      configSource: apiConfigSource(client),
      cgroups: linuxCgroups,
      kernelLog,
    },
    {
      ...kubeletDefaults,
      nodeName: "node-1",
      hostname: "node-1",
      nodeIps: ["10.0.0.1"],
      rootDirectory,
      podLogsDirectory,
      memoryDirectory,
      cgroupRoot: containerd.cgroupParent,
      images: { ...kubeletDefaults.images, localImages: true },
      ...overrides,
    },
  );
}
