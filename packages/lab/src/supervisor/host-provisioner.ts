import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { contextName } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import { removeTree, writeWhole } from "@kintsugi/daemon";
import { ensureBusFiles } from "../components/bus-files.ts";
import { nodeCgroup, nodePaths } from "../cluster/cluster-paths.ts";
import type { NodeSpec } from "../cluster/cluster-spec.ts";
import { writeContainerdFiles } from "../containerd/containerd-files.ts";
import { forgetSandboxNetworks, removeEmptiedFiles } from "../containerd/cni-results.ts";
import { keepInMemory } from "../containerd/keep-in-memory.ts";
import { writeRegistries } from "../containerd/registries.ts";
import { importImages, waitForSocket } from "../containerd/import-images.ts";
import { imageArchive } from "../images/image-archive.ts";
import { ociArchitecture } from "../images/oci-architecture.ts";
import { standardImages } from "../images/standard-images.ts";
import { ensureBootId, forgetBoot } from "../host/boot.ts";
import { nodeAddresses } from "../network/addresses.ts";
import { applyEgress } from "../network/egress.ts";
import { applyBridge, applyNode, applyRoutesTo, removeNodeNetwork } from "../network/network.ts";
import { removeServiceRules } from "../network/service-rules.ts";
import { ensurePki, identityKubeconfig } from "../components/cluster-pki.ts";
import { identityFiles } from "../components/identity-files.ts";
import { clusterKubeconfigs } from "../components/cluster-kubeconfigs.ts";
import { balancerConfig } from "../components/balancer-config.ts";
import { ensureServerPki } from "../components/server-pki.ts";
import { removeCgroup } from "../host/cgroups.ts";
import { unmountBelow } from "../host/unmount.ts";
import { waitUntilListens } from "../host/listening.ts";
import type { Component } from "../cluster/component.ts";
import { type ClusterLayout, containerdComponent, controlPorts } from "../components/components.ts";
import type { Provisioner } from "./provisioner.ts";
import { createServerProvisioner } from "./servers/server-provisioner.ts";

export interface HostProvisionerDeps {
  clock: Clock;
  random: Random;
}

/** Provisions on this host: files, links, namespaces, mounts. */
export function createHostProvisioner(deps: HostProvisionerDeps, layout: ClusterLayout): Provisioner {
  const { paths } = layout;
  const archive = join(paths.images, "images.tar");
  return {
    async files() {
      await mkdir(paths.run, { recursive: true, mode: 0o700 });
      await ensurePki(deps, layout.spec, paths.pki);
      await ensureServerPki(deps, layout.spec, paths.pki);
      await Promise.all([
        ensureBusFiles(deps, layout),
        writeBalancer(layout),
        writeCloudGroups(layout),
        writeKubeconfigs(layout),
        writeRegistries(paths.registries, layout.spec.registries ?? []),
      ]);
    },
    bridge: () => applyBridge(layout.spec),
    egress: () => applyEgress(layout.spec),
    async images() {
      if (existsSync(archive)) return;
      await mkdir(paths.images, { recursive: true, mode: 0o700 });
      await writeWhole(archive, imageArchive(await standardImages(), ociArchitecture()));
    },
    ...createServerProvisioner(deps, layout),
    async node(node, { linkUp }) {
      const [component] = await Promise.all([
        prepareContainerd(layout, node),
        applyNode(layout.spec, node, linkUp),
        ensureBootId(deps, nodePaths(paths, node).bootId),
      ]);
      return component;
    },
    async kubeletServes(node, waitMs) {
      const { address: host } = nodeAddresses(layout.spec, node);
      await waitUntilListens(deps.clock, { host, port: controlPorts.kubelet }, waitMs);
    },
    async forgetBoot(node) {
      await Promise.all([forgetBoot(nodePaths(paths, node)), removeServiceRules(nodeAddresses(layout.spec, node))]);
    },
    routesTo: (node) => applyRoutesTo(layout.spec, node),
    async removeNode(node) {
      const own = nodePaths(paths, node);
      await unmountBelow([own.run, own.data]);
      await forgetSandboxNetworks([own.containerdRoot]);
      await removeNodeNetwork(layout.spec, node);
      await removeCgroup(deps.clock, nodeCgroup(layout.spec, node));
      const { certFile, keyFile } = identityFiles(paths.pki, node.name);
      const places = [own.run, own.data, own.kubeletMemory, certFile, keyFile];
      await Promise.all(places.map((place) => removeTree(place)));
    },
    async importImages(node) {
      const own = nodePaths(paths, node);
      await waitForSocket(deps.clock, own.containerdSocket);
      const marker = join(own.data, "images-imported");
      if (existsSync(marker)) return;
      await importImages(own.containerdSocket, archive);
      await writeWhole(marker, "");
    },
  };
}

async function prepareContainerd(layout: ClusterLayout, node: NodeSpec): Promise<Component> {
  const own = nodePaths(layout.paths, node);
  const configFile = join(own.data, "containerd.toml");
  await mkdir(own.run, { recursive: true, mode: 0o700 });
  await mkdir(own.kubeletRoot, { recursive: true, mode: 0o700 });
  await mkdir(own.manifests, { recursive: true, mode: 0o700 });
  const places = {
    configFile,
    root: own.containerdRoot,
    state: own.containerdState,
    cdiDirectory: own.cdi,
    socket: own.containerdSocket,
    registryDirectory: layout.paths.registries,
    cniConfigDirectory: join(own.data, "cni"),
    ipamDirectory: join(own.data, "ipam"),
  };
  await Promise.all([keepInMemory(places.state), removeEmptiedFiles(places.ipamDirectory)]);
  const { podCidr } = nodeAddresses(layout.spec, node);
  await writeContainerdFiles(places, { podCidr, ociRuntime: layout.spec.ociRuntime });
  return containerdComponent(layout, node, configFile);
}

/** Writes one kubeconfig for each service and kubelet, and one for the administrator. */
async function writeKubeconfigs(layout: ClusterLayout): Promise<void> {
  const { spec, paths } = layout;
  await Promise.all(
    clusterKubeconfigs(layout).map(async ({ identity, file, ...where }) =>
      writeWhole(file, await identityKubeconfig(paths.pki, identity, { name: contextName(spec.name), ...where })),
    ),
  );
}

async function writeCloudGroups({ spec, paths }: ClusterLayout): Promise<void> {
  const { groups } = spec.cloud ?? {};
  if (groups !== undefined) await writeWhole(paths.cloudGroups, JSON.stringify(groups));
}

async function writeBalancer({ spec, paths }: ClusterLayout): Promise<void> {
  if (spec.servers === undefined) return;
  await writeWhole(paths.balancerConfig, balancerConfig(spec, identityFiles(paths.pki, "api-server")));
}
