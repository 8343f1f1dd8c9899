import { addQuantities } from "../../../values/quantity.ts";
import { column, nameColumn } from "../../../table/columns.ts";
import { defineKind, type Kind, type KindVerb } from "../../define-kind.ts";
import { nodeMetrics, podMetrics } from "./usage-types.ts";
import { NodeMetrics, PodMetrics } from "./usage.ts";

// Metrics-server prints the same columns: they bear the names of the measured resources.
const columns = [
  nameColumn,
  column("cpu", "Processor time used, averaged over the window."),
  column("memory", "Memory in use that the kernel cannot take back at once."),
  column("Window", "Over how long processor time was averaged."),
];
const verbs: readonly KindVerb[] = ["get", "list"];

const nodeMetricsKind = defineKind<NodeMetrics>({
  type: nodeMetrics,
  schema: NodeMetrics,
  verbs,
  answered: true,
  table: {
    columns,
    cells: ({ metadata, usage, window }) => [metadata.name ?? "", usage["cpu"] ?? "", usage["memory"] ?? "", window],
  },
});

const podMetricsKind = defineKind<PodMetrics>({
  type: podMetrics,
  schema: PodMetrics,
  verbs,
  answered: true,
  table: {
    columns,
    cells: ({ metadata, containers, window }) => {
      const total = (resource: string) =>
        containers.reduce((sum, { usage }) => addQuantities(sum, usage[resource] ?? "0"), "0");
      return [metadata.name ?? "", total("cpu"), total("memory"), window];
    },
  },
});

/** The kinds of metrics.k8s.io, which are served where kubelets can be reached. */
export const usageKinds: readonly Kind[] = [nodeMetricsKind, podMetricsKind];
