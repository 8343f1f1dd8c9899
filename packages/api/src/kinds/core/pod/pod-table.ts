import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, type KindTable, nameColumn, wide } from "../../../table/columns.ts";
import { summarizePod } from "./pod-status-text.ts";
import type { Pod } from "./pod.ts";

export const podTable: KindTable<Pod> = {
  columns: [
    nameColumn,
    column("Ready", "Number of ready containers and number of containers."),
    column("Status", "Phase of the pod, or the reason for its containers' state."),
    column("Restarts", "Number of restarts of the pod's containers, and the time since the last restart."),
    ageColumn,
    wide(column("IP", "IP address of the pod.")),
    wide(column("Node", "Node that the pod is bound to.")),
    wide(column("Nominated Node", "Node on which preemption makes room for the pod.")),
    wide(
      column("Readiness Gates", "Number of the pod's readiness gates that are true, and number of readiness gates."),
    ),
  ],
  cells(pod, nowMs) {
    const { readyContainers, totalContainers, status, restarts } = summarizePod(pod, nowMs);
    return [
      pod.metadata.name ?? "",
      `${readyContainers}/${totalContainers}`,
      status,
      restarts,
      formatAge(pod, nowMs),
      pod.status?.podIPs?.[0]?.ip || "<none>",
      pod.spec?.nodeName || "<none>",
      pod.status?.nominatedNodeName || "<none>",
      formatReadinessGates(pod),
    ];
  },
  conditions(pod) {
    switch (pod.status?.phase) {
      case "Succeeded":
        return [completed("Succeeded", "The pod has completed successfully.")];
      case "Failed":
        return [completed("Failed", "The pod failed.")];
      default:
        return [];
    }
  },
};

function formatReadinessGates(pod: Pod): string {
  const gates = pod.spec?.readinessGates ?? [];
  const conditions = pod.status?.conditions ?? [];
  const open = gates.filter(({ conditionType }) =>
    conditions.some(({ type, status }) => type === conditionType && status === "True"),
  );
  return gates.length === 0 ? "<none>" : `${open.length}/${gates.length}`;
}

function completed(reason: string, message: string) {
  return { type: "Completed", status: "True", reason, message };
}
