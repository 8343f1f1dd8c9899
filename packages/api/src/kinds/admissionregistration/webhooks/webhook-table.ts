import type { ApiObject } from "../../../meta/api-object.ts";
import { formatAge } from "../../../table/cells.ts";
import { ageColumn, integerColumn, type KindTable, nameColumn } from "../../../table/columns.ts";

export const webhookTable: KindTable<ApiObject & { webhooks?: readonly unknown[] | undefined }> = {
  columns: [nameColumn, integerColumn("Webhooks", "Number of webhooks in the configuration."), ageColumn],
  cells: (configuration, nowMs) => [
    configuration.metadata.name ?? "",
    configuration.webhooks?.length ?? 0,
    formatAge(configuration, nowMs),
  ],
};
