import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { int32, text } from "../../../schema/types.ts";
import { flowConditions } from "../flow-schema/flow-schema.ts";

const prefix = "io.k8s.api.flowcontrol.v1";

export const QueuingConfiguration = object(`${prefix}.QueuingConfiguration`, "The queues of a level.", () => ({
  queues: field(1, int32, "The level has this many queues; the default is 64."),
  handSize: field(2, int32, "Each flow uses this many of the queues; the default is 8."),
  queueLengthLimit: field(3, int32, "A queue holds at most this many requests; the default is 50."),
}));
export type QueuingConfiguration = z.infer<typeof QueuingConfiguration>;

const LimitResponse = object(`${prefix}.LimitResponse`, "The fate of requests beyond the limit.", () => ({
  type: required(1, text, "Requests beyond the limit are put into a queue (Queue) or rejected (Reject)."),
  queuing: field(2, QueuingConfiguration, "The queues of a level of type Queue."),
}));

const shares = "The level gets this many shares of the server's seats; all levels together have all of them.";
const lendable = "Other levels may borrow up to this percentage of the level's seats while it does not need them.";

export const LimitedPriorityLevelConfiguration = object(
  `${prefix}.LimitedPriorityLevelConfiguration`,
  "The limits of a level of type Limited.",
  () => ({
    nominalConcurrencyShares: field(1, int32, `${shares} The default is 30.`),
    limitResponse: field(2, LimitResponse, "The fate of requests beyond the limit."),
    lendablePercent: field(3, int32, lendable),
    borrowingLimitPercent: field(
      4,
      int32,
      "The level may borrow up to this percentage of its own seats from others; without limit when unset.",
    ),
  }),
);
export type LimitedPriorityLevelConfiguration = z.infer<typeof LimitedPriorityLevelConfiguration>;

const ExemptPriorityLevelConfiguration = object(
  `${prefix}.ExemptPriorityLevelConfiguration`,
  "The seats that the exempt level holds in the reckoning of others; its own requests never wait.",
  () => ({
    nominalConcurrencyShares: field(1, int32, shares),
    lendablePercent: field(2, int32, lendable),
  }),
);

export const PriorityLevelConfiguration = kind(
  `${prefix}.PriorityLevelConfiguration`,
  "A PriorityLevelConfiguration limits the requests of one level that are served at the same time.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: field(
      2,
      object(`${prefix}.PriorityLevelConfigurationSpec`, "The limits of a priority level.", () => ({
        type: required(1, text, "The level is Limited or Exempt."),
        limited: field(2, LimitedPriorityLevelConfiguration, "The limits of a level of type Limited."),
        exempt: field(3, ExemptPriorityLevelConfiguration, "The settings of a level of type Exempt."),
      })),
      "The wanted limits.",
    ),
    status: field(
      3,
      object(`${prefix}.PriorityLevelConfigurationStatus`, "The state of a priority level.", () => ({
        conditions: field(1, flowConditions("PriorityLevelConfigurationCondition"), "The current state."),
      })),
      "The observed state of the level.",
    ),
  }),
);
export type PriorityLevelConfiguration = z.infer<typeof PriorityLevelConfiguration>;
