import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { int32, text } from "../../../schema/types.ts";
import { flowConditions } from "../flow-schema/flow-schema.ts";

const prefix = "io.k8s.api.flowcontrol.v1";

export const QueuingConfiguration = object(`${prefix}.QueuingConfiguration`, "Queues of a priority level.", () => ({
  queues: field(1, int32, "Number of queues. Defaults to 64."),
  handSize: field(2, int32, "Number of queues over which the requests of each flow are distributed. Defaults to 8."),
  queueLengthLimit: field(3, int32, "Maximum number of requests in a queue. Defaults to 50."),
}));
export type QueuingConfiguration = z.infer<typeof QueuingConfiguration>;

const LimitResponse = object(`${prefix}.LimitResponse`, "Handling of requests beyond the limit.", () => ({
  type: required(1, text, "Handling of requests beyond the limit: Queue or Reject."),
  queuing: field(2, QueuingConfiguration, "Settings of the queues. Applies only to the type Queue."),
}));

const shares =
  "Shares of the level. The server divides its seats, each for one concurrent request, among the levels in proportion to their shares.";
const lendable = "Maximum number of unused seats that other levels may borrow, in percent of the level's seats.";

export const LimitedPriorityLevelConfiguration = object(
  `${prefix}.LimitedPriorityLevelConfiguration`,
  "Limits of the level. Applies only to the type Limited.",
  () => ({
    nominalConcurrencyShares: field(1, int32, `${shares} Defaults to 30.`),
    limitResponse: field(2, LimitResponse, "Handling of requests beyond the limit."),
    lendablePercent: field(3, int32, lendable),
    borrowingLimitPercent: field(
      4,
      int32,
      "Maximum number of seats that the level may borrow from other levels, in percent of its own seats. Defaults to no limit.",
    ),
  }),
);
export type LimitedPriorityLevelConfiguration = z.infer<typeof LimitedPriorityLevelConfiguration>;

const ExemptPriorityLevelConfiguration = object(
  `${prefix}.ExemptPriorityLevelConfiguration`,
  "Shares of the exempt level in the division of seats among the levels. Requests of the exempt level are never queued.",
  () => ({
    nominalConcurrencyShares: field(1, int32, shares),
    lendablePercent: field(2, int32, lendable),
  }),
);

export const PriorityLevelConfiguration = kind(
  `${prefix}.PriorityLevelConfiguration`,
  "A PriorityLevelConfiguration limits the number of concurrent requests at one priority level.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    spec: field(
      2,
      object(`${prefix}.PriorityLevelConfigurationSpec`, "Limits of a priority level.", () => ({
        type: required(1, text, "Type of the level: Limited or Exempt."),
        limited: field(2, LimitedPriorityLevelConfiguration, "Limits of the level. Applies only to the type Limited."),
        exempt: field(3, ExemptPriorityLevelConfiguration, "Settings of the level. Applies only to the type Exempt."),
      })),
      "Limits of the priority level.",
    ),
    status: field(
      3,
      object(`${prefix}.PriorityLevelConfigurationStatus`, "Observed state of a priority level.", () => ({
        conditions: field(
          1,
          flowConditions("PriorityLevelConfigurationCondition"),
          "Observed conditions of the level.",
        ),
      })),
      "Observed state of the level.",
    ),
  }),
);
export type PriorityLevelConfiguration = z.infer<typeof PriorityLevelConfiguration>;
