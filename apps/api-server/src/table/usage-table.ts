import { addQuantities, type NodeMetrics, type PodMetrics } from "@kintsugi/api";
import { column, type KindTable, nameColumn } from "./columns.ts";

// As metrics-server prints them: the names of what is measured are the columns' names.
const columns = [
  nameColumn,
  column("cpu", "Processor time used, averaged over the window."),
  column("memory", "Memory in use that the kernel cannot take back at once."),
  column("Window", "Over how long processor time was averaged."),
];

export const nodeMetricsTable: KindTable<NodeMetrics> = {
  columns,
  cells: ({ metadata, usage, window }) => [metadata.name ?? "", usage["cpu"] ?? "", usage["memory"] ?? "", window],
};

export const podMetricsTable: KindTable<PodMetrics> = {
  columns,
  cells: ({ metadata, containers, window }) => {
    const total = (resource: string) =>
      containers.reduce((sum, { usage }) => addQuantities(sum, usage[resource] ?? "0"), "0");
    return [metadata.name ?? "", total("cpu"), total("memory"), window];
  },
};
