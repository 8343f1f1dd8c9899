import { addQuantities } from "../../../values/quantity.ts";
import { column, nameColumn } from "../../../table/columns.ts";
import { defineKind, type Kind, type KindDefinition, type KindVerb } from "../../define-kind.ts";
import { nodeMetrics, nodeMetricsV1, podMetrics, podMetricsV1 } from "./usage-types.ts";
import {
  NodeMetrics as NodeMetricsSchema,
  type NodeMetrics,
  NodeMetricsV1,
  PodMetrics as PodMetricsSchema,
  type PodMetrics,
  PodMetricsV1,
} from "./usage.ts";

// Metrics-server prints the same columns, which have the names of the measured resources.
const columns = [
  nameColumn,
  column("cpu", "CPU usage, averaged over the window."),
  column("memory", "Memory in the working set, which the kernel cannot reclaim immediately."),
  column("Window", "Length of the window over which CPU usage is averaged."),
];
const verbs: readonly KindVerb[] = ["get", "list"];

const ofNodes: Pick<KindDefinition<NodeMetrics>, "verbs" | "answered" | "table"> = {
  verbs,
  answered: true,
  table: {
    columns,
    cells: ({ metadata, usage, window }) => [metadata.name ?? "", usage["cpu"] ?? "", usage["memory"] ?? "", window],
  },
};

const ofPods: Pick<KindDefinition<PodMetrics>, "verbs" | "answered" | "table"> = {
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
};

/** The kinds of metrics.k8s.io in both versions, which are served where kubelets can be reached. */
export const usageKinds: readonly Kind[] = [
  defineKind<NodeMetrics>({ type: nodeMetrics, schema: NodeMetricsSchema, ...ofNodes }),
  defineKind<PodMetrics>({ type: podMetrics, schema: PodMetricsSchema, ...ofPods }),
  defineKind<NodeMetrics>({ type: nodeMetricsV1, schema: NodeMetricsV1, ...ofNodes }),
  defineKind<PodMetrics>({ type: podMetricsV1, schema: PodMetricsV1, ...ofPods }),
];
