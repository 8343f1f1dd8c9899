import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, integerColumn, nameColumn } from "../../../table/columns.ts";
import { defineKind } from "../../define-kind.ts";
import { flowSchemas } from "./flow-schema-type.ts";
import { validateFlowSchema } from "./flow-schema-validation.ts";
import { FlowSchema } from "./flow-schema.ts";

export const flowSchemaKind = defineKind<FlowSchema>({
  type: flowSchemas,
  schema: FlowSchema,
  defaults: ({ spec }) => {
    if (spec !== undefined && (spec.matchingPrecedence ?? 0) === 0) spec.matchingPrecedence = 1000;
  },
  validation: { validate: validateFlowSchema },
  strategy: { status: true, generation: true },
  subresources: ["status"],
  table: {
    columns: [
      nameColumn,
      column("PriorityLevel", "Priority level of the requests."),
      integerColumn(
        "MatchingPrecedence",
        "Precedence of the schema. The matching schema with the lowest number is used.",
      ),
      column("DistinguisherMethod", "Method that divides the requests into flows."),
      ageColumn,
      column("MissingPL", "True if the priority level does not exist."),
    ],
    cells: (schema, nowMs) => [
      schema.metadata.name ?? "",
      schema.spec?.priorityLevelConfiguration.name ?? "",
      schema.spec?.matchingPrecedence ?? 0,
      schema.spec?.distinguisherMethod?.type ?? "<none>",
      formatAge(schema, nowMs),
      schema.status?.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?",
    ],
  },
});
