import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, type KindTable, nameColumn, wide } from "../../../table/columns.ts";
import type { Node } from "./node.ts";

const roleLabelPrefix = "node-role.kubernetes.io/";
const roleLabel = "kubernetes.io/role";

export const nodeTable: KindTable<Node> = {
  columns: [
    nameColumn,
    column("Status", "The status of the node"),
    column("Roles", "The roles of the node"),
    ageColumn,
    column("Version", "Version of the kubelet."),
    wide(column("Internal-IP", "Address of the node inside the cluster.")),
    wide(column("External-IP", "Address of the node outside the cluster.")),
    wide(column("OS-Image", "Operating system of the node.")),
    wide(column("Kernel-Version", "Kernel version of the node.")),
    wide(column("Container-Runtime", "Container runtime of the node and its version.")),
  ],
  cells(node, nowMs) {
    const info = node.status?.nodeInfo;
    return [
      node.metadata.name ?? "",
      formatStatus(node),
      formatRoles(node),
      formatAge(node, nowMs),
      info?.kubeletVersion ?? "",
      addressOf(node, "InternalIP"),
      addressOf(node, "ExternalIP"),
      info?.osImage || "<unknown>",
      info?.kernelVersion || "<unknown>",
      info?.containerRuntimeVersion || "<unknown>",
    ];
  },
};

function formatStatus(node: Node): string {
  const ready = (node.status?.conditions ?? []).findLast(({ type }) => type === "Ready");
  const parts = [ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady"];
  return [...parts, ...(node.spec?.unschedulable === true ? ["SchedulingDisabled"] : [])].join(",");
}

function formatRoles(node: Node): string {
  const roles = new Set<string>();
  for (const [label, value] of Object.entries(node.metadata.labels ?? {})) {
    const role = label.startsWith(roleLabelPrefix) ? label.slice(roleLabelPrefix.length) : "";
    roles.add(label === roleLabel ? value : role);
  }
  roles.delete("");
  return roles.size === 0 ? "<none>" : [...roles].toSorted().join(",");
}

function addressOf(node: Node, addressType: string): string {
  return (node.status?.addresses ?? []).find(({ type }) => type === addressType)?.address ?? "<none>";
}
