import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { defineKind } from "../../define-kind.ts";
import { priorityLevelConfigurations } from "./priority-level-configuration-type.ts";
import { validatePriorityLevel } from "./priority-level-configuration-validation.ts";
import { PriorityLevelConfiguration } from "./priority-level-configuration.ts";

export const priorityLevelConfigurationKind = defineKind<PriorityLevelConfiguration>({
  type: priorityLevelConfigurations,
  schema: PriorityLevelConfiguration,
  defaults: ({ spec }) => {
    if (spec?.type === "Exempt") {
      spec.exempt ??= {};
      spec.exempt.nominalConcurrencyShares ??= 0;
      spec.exempt.lendablePercent ??= 0;
    }
    const { limited } = spec ?? {};
    if (limited === undefined) return;
    limited.nominalConcurrencyShares ??= 30;
    limited.lendablePercent ??= 0;
    const { queuing } = limited.limitResponse ?? {};
    if (queuing === undefined) return;
    if ((queuing.queues ?? 0) === 0) queuing.queues = 64;
    if ((queuing.handSize ?? 0) === 0) queuing.handSize = 8;
    if ((queuing.queueLengthLimit ?? 0) === 0) queuing.queueLengthLimit = 50;
  },
  validation: { validate: validatePriorityLevel },
  strategy: { status: true, generation: true },
  subresources: ["status"],
  table: {
    columns: [
      nameColumn,
      column("Type", "Type of the level: Limited or Exempt."),
      column("NominalConcurrencyShares", "Shares of the level in the server's seats."),
      column("Queues", "Number of queues of the level."),
      column("HandSize", "Number of queues over which the requests of each flow are distributed."),
      column("QueueLengthLimit", "Maximum number of requests in a queue."),
      ageColumn,
    ],
    cells: (level, nowMs) => {
      const { type = "", limited, exempt } = level.spec ?? {};
      const { queues, handSize, queueLengthLimit } = limited?.limitResponse?.queuing ?? {};
      return [
        level.metadata.name ?? "",
        type,
        limited?.nominalConcurrencyShares ?? exempt?.nominalConcurrencyShares ?? "<none>",
        queues ?? "<none>",
        handSize ?? "<none>",
        queueLengthLimit ?? "<none>",
        formatAge(level, nowMs),
      ];
    },
  },
});
