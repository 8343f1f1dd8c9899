import type { ApiObject, ResourceType } from "@kintsugi/api";
import type { JsonObject } from "../json.ts";
import type { TableConverter, TableRowOptions } from "./table-converter.ts";
import type { Column, KindTable } from "./columns.ts";
import { certificateSigningRequestTable } from "./certificate-table.ts";
import { eventsV1Table, eventTable } from "./event-table.ts";
import { nodeTable } from "./node-table.ts";
import {
  configMapTable,
  defaultTable,
  leaseTable,
  namespaceTable,
  priorityClassTable,
  roleBindingTable,
  secretTable,
  serviceAccountTable,
} from "./plain-tables.ts";
import { podTable } from "./pod-table.ts";
import { endpointSliceTable, endpointsTable, serviceTable } from "./service-table.ts";
import { nodeMetricsTable, podMetricsTable } from "./usage-table.ts";
import { deploymentTable, podDisruptionBudgetTable, replicaSetTable } from "./workload-table.ts";

/** Every kind with columns of its own, by group and plural. */
const converters: ReadonlyMap<string, TableConverter> = new Map([
  ["/pods", converterOf(podTable)],
  ["/nodes", converterOf(nodeTable)],
  ["/namespaces", converterOf(namespaceTable)],
  ["/configmaps", converterOf(configMapTable)],
  ["/secrets", converterOf(secretTable)],
  ["/serviceaccounts", converterOf(serviceAccountTable)],
  ["/services", converterOf(serviceTable)],
  ["/endpoints", converterOf(endpointsTable)],
  ["/events", converterOf(eventTable)],
  ["events.k8s.io/events", converterOf(eventsV1Table)],
  ["apps/deployments", converterOf(deploymentTable)],
  ["apps/replicasets", converterOf(replicaSetTable)],
  ["certificates.k8s.io/certificatesigningrequests", converterOf(certificateSigningRequestTable)],
  ["coordination.k8s.io/leases", converterOf(leaseTable)],
  ["discovery.k8s.io/endpointslices", converterOf(endpointSliceTable)],
  ["metrics.k8s.io/nodes", converterOf(nodeMetricsTable)],
  ["metrics.k8s.io/pods", converterOf(podMetricsTable)],
  ["policy/poddisruptionbudgets", converterOf(podDisruptionBudgetTable)],
  ["scheduling.k8s.io/priorityclasses", converterOf(priorityClassTable)],
  ["rbac.authorization.k8s.io/rolebindings", converterOf(roleBindingTable)],
  ["rbac.authorization.k8s.io/clusterrolebindings", converterOf(roleBindingTable)],
]);

const defaultConverter = converterOf(defaultTable);

/** The columns that upstream's printers (pkg/printers/internalversion) give a kind. */
export function tableConverterFor(type: Pick<ResourceType, "group" | "resource">): TableConverter {
  return converters.get(`${type.group}/${type.resource}`) ?? defaultConverter;
}

function converterOf<T extends ApiObject>(table: KindTable<T>): TableConverter {
  return {
    columnDefinitions: table.columns.map((column: Column): JsonObject => ({ ...column })),
    row(object, options) {
      // What is stored has passed the kind's schema, so it has the kind's shape.
      const typed = object as unknown as T;
      const conditions = table.conditions?.(typed) ?? [];
      return {
        cells: table.cells(typed, options.nowMs),
        ...(conditions.length === 0 ? {} : { conditions }),
        object: rowObject(object, options),
      };
    },
  };
}

function rowObject(object: JsonObject, { include, version }: TableRowOptions): JsonObject | null {
  switch (include) {
    case "None":
      return null;
    case "Object":
      return object;
    case "Metadata":
      return {
        kind: "PartialObjectMetadata",
        apiVersion: `meta.k8s.io/${version}`,
        metadata: object["metadata"] ?? {},
      };
  }
}
