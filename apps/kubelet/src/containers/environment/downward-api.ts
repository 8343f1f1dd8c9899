import { type Container, parseQuantity, type ResourceFieldSelector } from "@kintsugi/api";
import type { NodeContext } from "../../model/node-context.ts";
import { type BoundPod, containersOf } from "../../model/bound-pod.ts";
import { ContainerConfigError } from "./config-error.ts";

export interface DownwardInput {
  pod: BoundPod;
  container?: Container;
  podIps: readonly string[];
  node: NodeContext;
}

/**
 * The field of a pod that `fieldPath` names, as text. @throws ContainerConfigError for a path that
 * upstream does not support.
 */
export function podField(fieldPath: string, { pod, podIps, node }: DownwardInput): string {
  const { metadata, spec } = pod;
  const subscript = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(fieldPath);
  if (subscript) return metadata[subscript[1] as "labels" | "annotations"]?.[subscript[2] ?? ""] ?? "";
  switch (fieldPath) {
    case "metadata.name":
      return metadata.name;
    case "metadata.namespace":
      return metadata.namespace;
    case "metadata.uid":
      return metadata.uid;
    case "metadata.labels":
      return formatMap(metadata.labels);
    case "metadata.annotations":
      return formatMap(metadata.annotations);
    case "spec.nodeName":
      return node.nodeName;
    case "spec.serviceAccountName":
      return spec.serviceAccountName ?? "";
    case "status.hostIP":
      return node.nodeIps[0] ?? "";
    case "status.hostIPs":
      return node.nodeIps.join(",");
    case "status.podIP":
      return podIps[0] ?? "";
    case "status.podIPs":
      return podIps.join(",");
    default:
      throw new ContainerConfigError(`unsupported fieldPath: ${fieldPath}`);
  }
}

/**
 * Returns a container's request or limit in units of the divisor, rounded up. A missing limit is
 * the pod's limit, or else the node's allocatable amount.
 */
export function resourceField(selector: ResourceFieldSelector, { pod, container, node }: DownwardInput): string {
  const { containerName, resource, divisor } = selector;
  const target =
    containerName === undefined || containerName === ""
      ? container
      : containersOf(pod).find(({ name }) => name === containerName);
  if (!target) throw new ContainerConfigError(`container ${containerName} not found`);
  const [list, name = ""] = resource.split(/\.(.*)/);
  if (list !== "limits" && list !== "requests") {
    throw new ContainerConfigError(`unsupported container resource : ${resource}`);
  }
  const { requests, limits } = target.resources ?? {};
  const value = list === "limits" ? limits?.[name] : (requests?.[name] ?? limits?.[name]);
  const shared = pod.spec.resources?.limits?.[name] ?? allocatableOf(name, node);
  const { nanos } = parseQuantity(value ?? (list === "limits" ? shared : "0"));
  const unit = parseQuantity(divisor === undefined || divisor === "0" ? "1" : divisor).nanos;
  return String((nanos + unit - 1n) / unit);
}

function allocatableOf(name: string, { allocatable }: NodeContext): string {
  switch (name) {
    case "cpu":
      return `${allocatable.cpuMillicores}m`;
    case "memory":
      return String(allocatable.memoryBytes);
    case "ephemeral-storage":
      return String(allocatable.ephemeralStorageBytes);
    default:
      return "0";
  }
}

/** One `key="value"` per line, sorted, as upstream's downward API writes maps. */
function formatMap(map: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(map ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join("\n");
}
