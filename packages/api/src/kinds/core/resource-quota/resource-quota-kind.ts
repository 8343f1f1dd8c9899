import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { defineKind } from "../../define-kind.ts";
import { resourceQuotas } from "./resource-quota-type.ts";
import {
  validateResourceQuota,
  validateResourceQuotaStatus,
  validateResourceQuotaUpdate,
} from "./resource-quota-validation.ts";
import { ResourceQuota } from "./resource-quota.ts";

export const resourceQuotaKind = defineKind<ResourceQuota>({
  type: resourceQuotas,
  schema: ResourceQuota,
  validation: {
    validate: validateResourceQuota,
    update: validateResourceQuotaUpdate,
    status: validateResourceQuotaStatus,
  },
  strategy: { status: true, returnsDeleted: true },
  subresources: ["status"],
  table: {
    columns: [
      nameColumn,
      column("Request", "Used and allowed amounts of requests, and numbers of objects."),
      column("Limit", "Used and allowed amounts of limits."),
      ageColumn,
    ],
    cells: (quota, nowMs) => [
      quota.metadata.name ?? "",
      usageText(quota, (name) => !name.startsWith("limits.")),
      usageText(quota, (name) => name.startsWith("limits.")),
      formatAge(quota, nowMs),
    ],
  },
});

/** Formats the usage as `pods: 2/4, requests.cpu: 0/1`, in the order of the names. */
function usageText({ status }: ResourceQuota, isShown: (name: string) => boolean): string {
  return Object.entries(status?.hard ?? {})
    .filter(([name]) => isShown(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, hard]) => `${name}: ${status?.used?.[name] ?? "0"}/${hard}`)
    .join(", ");
}
