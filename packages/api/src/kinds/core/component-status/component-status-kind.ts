import { column, nameColumn } from "../../../table/columns.ts";
import { defineKind } from "../../define-kind.ts";
import { componentStatuses } from "./component-status-type.ts";
import { ComponentStatus } from "./component-status.ts";

export const componentStatusKind = defineKind<ComponentStatus>({
  type: componentStatuses,
  schema: ComponentStatus,
  verbs: ["get", "list"],
  answered: true,
  table: {
    columns: [
      nameColumn,
      column("Status", "Healthy or Unhealthy."),
      column("Message", "The component's report about itself."),
      column("Error", "The reason why the component is not healthy."),
    ],
    cells: ({ metadata, conditions = [] }) => {
      const healthy = conditions.find(({ type }) => type === "Healthy");
      const status = healthy === undefined ? "Unknown" : healthy.status === "True" ? "Healthy" : "Unhealthy";
      return [metadata.name ?? "", status, healthy?.message ?? "", healthy?.error ?? ""];
    },
  },
});
