import { type ClusterSpec, type KnownCluster, type NewNode, type NodeSpec, ociRuntimeOf } from "@kintsugi/lab";
import { isDeepStrictEqual } from "node:util";
import { CommandError } from "../base/command.ts";
import type { ClusterTopology } from "../topology/topology-file.ts";
import { cloudOf, registriesIn, type UpOptions } from "./up-options.ts";

/** A cluster is not changed by `up`: it keeps its first options. */
export function refuseContradictions(
  { spec }: KnownCluster,
  options: UpOptions,
  topology: ClusterTopology | undefined,
): void {
  const wantedCloud = cloudOf(options) ?? topology?.cloud;
  const differs = [
    topology?.nodes !== undefined && !sameNodes(spec, topology.nodes) ? "other nodes" : "",
    topology !== undefined && !isDeepStrictEqual(topology.portForwards, spec.portForwards ?? []) ? "other ports" : "",
    topology !== undefined && !isDeepStrictEqual(topology.images, spec.images ?? []) ? "other images" : "",
    options.nodes !== undefined && options.nodes !== spec.nodes.length
      ? `${count(spec.nodes.length, "node")}, not ${options.nodes}`
      : "",
    options.profile !== undefined && options.profile !== spec.profile
      ? `profile ${spec.profile}, not ${options.profile}`
      : "",
    options.apiPort !== undefined && options.apiPort !== spec.apiPort
      ? `API port ${spec.apiPort}, not ${options.apiPort}`
      : "",
    registriesIn(options).some(({ host }) => !(spec.registries ?? []).some((known) => known.host === host))
      ? "other registries"
      : "",
    options.kubeletArg !== undefined && options.kubeletArg.join() !== (spec.kubeletArgs ?? []).join()
      ? `kubelet flags ${(spec.kubeletArgs ?? []).join(" ") || "of its own"}, not ${options.kubeletArg.join(" ")}`
      : "",
    options.ociRuntime !== undefined && options.ociRuntime !== ociRuntimeOf(spec)
      ? `OCI runtime ${ociRuntimeOf(spec)}, not ${options.ociRuntime}`
      : "",
    !options.proxy && spec.proxy !== false ? "proxies" : "",
    !options.csi && spec.csi === true ? "a storage driver" : "",
    !options.egress && spec.egress !== false ? "egress from this host" : "",
    options.kubernetesVersion !== undefined && options.kubernetesVersion !== spec.kubernetesVersion
      ? `Kubernetes ${spec.kubernetesVersion ?? "1.33 and later fields"}, not ${options.kubernetesVersion}`
      : "",
    options.ingress === true && spec.ingress !== true ? "no Ingress controller" : "",
    options.externalIps === true && spec.externalIps !== true ? "no external IPs of Services" : "",
    options.rebalance === true && spec.rebalance !== true ? "no rebalancing" : "",
    options.traces !== undefined && options.traces !== spec.tracesEndpoint
      ? `traces sent to ${spec.tracesEndpoint ?? "no collector"}`
      : "",
    wantedCloud !== undefined && !isDeepStrictEqual(wantedCloud, spec.cloud)
      ? `${spec.cloud === undefined ? "no cloud" : `a cloud of at most ${count(spec.cloud.machinesMax, "machine")}`}`
      : "",
    options.hollow !== undefined && options.hollow !== (spec.hollowNodes ?? 0)
      ? `${count(spec.hollowNodes ?? 0, "hollow node")}, not ${options.hollow}`
      : "",
    options.devices !== undefined && options.devices !== (spec.devices ?? 0)
      ? `${count(spec.devices ?? 0, "device")} on each node, not ${options.devices}`
      : "",
    options.servers !== undefined && options.servers !== (spec.servers?.length ?? 1)
      ? `${count(spec.servers?.length ?? 1, "server")}, not ${options.servers}`
      : "",
  ].filter((text) => text !== "");
  if (differs.length === 0) return;
  throw new CommandError(
    `cluster "${spec.name}" exists with ${differs.join(" and ")}: remove it first, or choose another --name`,
  );
}

/** Nodes that were added or removed since make the cluster another one. */
function sameNodes({ nodes }: ClusterSpec, wanted: readonly NewNode[]): boolean {
  const settings = ({ labels, taints, kubeletArgs }: NewNode | NodeSpec) => ({ labels, taints, kubeletArgs });
  return (
    nodes.length === wanted.length &&
    wanted.every((node, index) => {
      const present = nodes[index];
      const sameName = node.name === undefined || node.name === present?.name;
      return present !== undefined && sameName && isDeepStrictEqual(settings(node), settings(present));
    })
  );
}

export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
