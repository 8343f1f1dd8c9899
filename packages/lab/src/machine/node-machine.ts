import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Logger, ProfileName } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import { type ContainerdPlaces, writeContainerdFiles } from "../containerd/containerd-files.ts";
import { removeEmptiedFiles } from "../containerd/cni-results.ts";
import { importStandardImages } from "../containerd/import-standard-images.ts";
import type { Component } from "../cluster/component.ts";
import { controlPorts, sharedDiskFlags } from "../components/components.ts";
import { ProcessKeeper } from "../supervisor/process-keeper.ts";
import { ensureBootId } from "../host/boot.ts";
import { writePodsResolvConf } from "./docker-dns.ts";
import { prepareMachine } from "./prepare-machine.ts";

export interface NodeMachineOptions {
  nodeName: string;
  /** The machine's own address: the node's InternalIP, which its certificate names. */
  nodeIp: string;
  podCidr: string;
  profile: ProfileName;
  /** The number of nodes that share the underlying machine: each node reports its share. */
  machineSharedBy: number;
  /** Contains tls.crt, tls.key, ca.crt and kubeconfig. */
  identityDirectory: string;
  kubeletCommand: readonly string[];
  proxyCommand: readonly string[];
}

/** Most paths of a containerd on a machine of its own are upstream's. */
const containerdPlaces: ContainerdPlaces = {
  root: "/var/lib/containerd",
  state: "/run/containerd",
  socket: "/run/containerd/containerd.sock",
  configFile: "/etc/containerd/config.toml",
  cniConfigDirectory: "/etc/cni/net.d",
  /** The directory in containerd's own documentation. */
  registryDirectory: "/etc/containerd/certs.d",
  /**
   * The directory is next to the containers whose addresses it records: both survive a restart, or
   * both are lost.
   */
  ipamDirectory: "/var/lib/containerd/kintsugi-ipam",
};

const paths = {
  importedImages: "/var/lib/containerd/kintsugi-images",
  kubeletRoot: "/var/lib/kubelet",
  /** /run is a tmpfs. */
  kubeletMemory: "/run/kubelet-memory",
  pids: "/run/kintsugi/pids",
  bootId: "/run/kintsugi/boot-id",
  podsResolvConf: "/run/kintsugi/resolv.conf",
  /** All logs go to the machine's own output. */
  log: "/dev/stdout",
} as const;

const cgroups = { pods: "/kintsugi", system: "/kintsugi/system" } as const;

export interface NodeMachineDeps {
  clock: Clock;
  random: Random;
  log: Logger;
}

/**
 * Makes this machine (or the container that represents a machine) a node: prepares the kernel and
 * containerd, and keeps containerd, kubelet and proxy running until the signal aborts; then stops
 * them. @throws when a step fails; another start repeats every step.
 */
export async function runNodeMachine(
  deps: NodeMachineDeps,
  options: NodeMachineOptions,
  signal: AbortSignal,
): Promise<void> {
  await prepareMachine(options.nodeIp);
  await ensureBootId(deps, paths.bootId);
  const resolvConf = await writePodsResolvConf(paths.podsResolvConf, options.nodeIp).catch((error: unknown) => {
    deps.log.warn("pods that use their node's resolver cannot query Docker's DNS", { error });
    return undefined;
  });
  const keeper = new ProcessKeeper(deps, { pidDirectory: paths.pids });
  const containerd = await prepareContainerd(options);
  await keeper.want([containerd], { stopOthers: false });
  await importStandardImages(deps.clock, {
    socket: containerdPlaces.socket,
    marker: paths.importedImages,
    archive: "/run/kintsugi/images.tar",
  });
  await keeper.want([containerd, kubelet(options, resolvConf), proxy(options)], { stopOthers: false });
  await sleepUntilAborted(deps.clock, signal);
  await keeper.want([], { stopOthers: true });
  keeper.close();
}

/**
 * The children are detached, and nothing else keeps this process running, so it sleeps for an hour
 * at a time.
 */
async function sleepUntilAborted(clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await clock.sleep(3_600_000, signal).catch(() => {});
}

async function prepareContainerd({ podCidr }: NodeMachineOptions): Promise<Component> {
  await mkdir(paths.kubeletRoot, { recursive: true, mode: 0o750 });
  await writeContainerdFiles(containerdPlaces, { podCidr });
  await removeEmptiedFiles(containerdPlaces.ipamDirectory);
  return {
    id: "containerd",
    command: ["containerd", "--config", containerdPlaces.configFile],
    cgroup: cgroups.system,
    logFile: paths.log,
  };
}

/** The proxy runs with its node's identity because this machine does not have another identity. */
function proxy({ proxyCommand, nodeName, profile, identityDirectory }: NodeMachineOptions): Component {
  const flags = {
    kubeconfig: join(identityDirectory, "kubeconfig"),
    "hostname-override": nodeName,
    // NetworkPolicies can select any pod of the cluster, and a node may not read all pods.
    "enforce-network-policies": "false",
    // A node may not read all Nodes, so only the API server checks whether an external IP belongs
    // to another node.
    "guard-all-nodes": "false",
    profile,
  };
  return {
    id: "proxy",
    command: [...proxyCommand, ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`)],
    cgroup: cgroups.system,
    logFile: paths.log,
  };
}

function kubelet(options: NodeMachineOptions, resolvConf: string | undefined): Component {
  const identity = (file: string) => join(options.identityDirectory, file);
  const flags = {
    kubeconfig: identity("kubeconfig"),
    "hostname-override": options.nodeName,
    "node-ip": options.nodeIp,
    "container-runtime-endpoint": `unix://${containerdPlaces.socket}`,
    "root-dir": paths.kubeletRoot,
    "memory-dir": paths.kubeletMemory,
    "pod-cidr": options.podCidr,
    port: controlPorts.kubelet,
    "tls-cert-file": identity("tls.crt"),
    "tls-private-key-file": identity("tls.key"),
    "client-ca-file": identity("ca.crt"),
    "cgroup-root": cgroups.pods,
    "machine-shared-by": options.machineSharedBy,
    "boot-id-file": paths.bootId,
    "local-images": "true",
    ...(resolvConf === undefined ? {} : { "resolv-conf": resolvConf }),
    ...sharedDiskFlags,
    profile: options.profile,
  };
  return {
    id: "kubelet",
    command: [...options.kubeletCommand, ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`)],
    cgroup: cgroups.system,
    logFile: paths.log,
  };
}
