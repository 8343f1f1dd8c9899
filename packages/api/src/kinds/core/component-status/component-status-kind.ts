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
      column("Message", "Message from the component's health check."),
      column("Error", "Error of the health check, if the component is unhealthy."),
    ],
    cells: ({ metadata, conditions = [] }) => {
      const healthy = conditions.find(({ type }) => type === "Healthy");
      const status = healthy === undefined ? "Unknown" : healthy.status === "True" ? "Healthy" : "Unhealthy";
      return [metadata.name ?? "", status, healthy?.message ?? "", healthy?.error ?? ""];
    },
  },
});
