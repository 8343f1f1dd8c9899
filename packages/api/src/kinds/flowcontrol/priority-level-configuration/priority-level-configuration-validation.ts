import type { Faults } from "../../../validation/faults.ts";
import { sameJson } from "../../../values/json.ts";
import { mandatoryPriorityLevels } from "../bootstrap-flow-objects.ts";
import { validateFlowConditions } from "../flow-schema/flow-schema-validation.ts";
import type {
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
  QueuingConfiguration,
} from "./priority-level-configuration.ts";

const exemptName = "exempt";

/** The rules follow pkg/apis/flowcontrol/validation. */
export function validatePriorityLevel({ metadata, spec, status }: PriorityLevelConfiguration, faults: Faults): void {
  const { type = "", limited, exempt } = spec ?? {};
  if ((metadata.name === exemptName) !== (type === "Exempt")) {
    faults.invalid("spec.type", type, "type must be 'Exempt' if and only if name is 'exempt'");
  }
  if (type === "Exempt") {
    if (limited !== undefined) faults.forbidden("spec.limited", "must be nil if the type is not Limited");
    const { nominalConcurrencyShares, lendablePercent } = exempt ?? {};
    faults.notNegative("spec.exempt.nominalConcurrencyShares", nominalConcurrencyShares);
    validatePercent("spec.exempt.lendablePercent", lendablePercent, faults);
  } else if (type === "Limited") {
    if (exempt !== undefined) faults.forbidden("spec.exempt", "must be nil if the type is Limited");
    if (limited === undefined) faults.required("spec.limited", "must not be empty when type is Limited");
    else validateLimited(limited, faults.below("spec.limited"));
  } else faults.notSupported("spec.type", type, ["Exempt", "Limited"]);
  const fixed = mandatoryPriorityLevels.find((level) => level.metadata.name === metadata.name);
  // Only the seats of the exempt level may be changed.
  const differs = metadata.name === exemptName ? type !== "Exempt" : !sameJson(spec, fixed?.spec);
  if (fixed !== undefined && differs) {
    faults.invalidWhole("spec", `spec of '${metadata.name}' must equal the fixed value`);
  }
  validateFlowConditions(status?.conditions ?? [], faults);
}

function validatePercent(field: string, percent: number | undefined, faults: Faults): void {
  if (percent !== undefined && (percent < 0 || percent > 100)) {
    faults.invalid(field, percent, "must be between 0 and 100, inclusive");
  }
}

function validateLimited(limited: LimitedPriorityLevelConfiguration, faults: Faults): void {
  const { nominalConcurrencyShares = 0, lendablePercent, borrowingLimitPercent, limitResponse } = limited;
  if (nominalConcurrencyShares < 0) {
    faults.invalid("nominalConcurrencyShares", nominalConcurrencyShares, "must be a non-negative integer");
  }
  validatePercent("lendablePercent", lendablePercent, faults);
  if (borrowingLimitPercent !== undefined && borrowingLimitPercent < 0) {
    const because = "if specified, must be a non-negative integer";
    faults.invalid("borrowingLimitPercent", borrowingLimitPercent, because);
  }
  const { type = "", queuing } = limitResponse ?? {};
  if (type === "Reject") {
    if (queuing !== undefined) {
      const because = "must be nil if limited.limitResponse.type is not Limited";
      faults.forbidden("limitResponse.queuing", because);
    }
  } else if (type === "Queue") {
    const because = "must not be empty if limited.limitResponse.type is Limited";
    if (queuing === undefined) faults.required("limitResponse.queuing", because);
    else validateQueuing(queuing, faults.below("limitResponse.queuing"));
  } else faults.notSupported("limitResponse.type", type, ["Queue", "Reject"]);
}

/** Upstream's limits, because an empty queue does not take memory here. */
const [queuesMax, entropyBitsMax] = [10_000_000, 60] as const;

function validateQueuing({ queues = 0, handSize = 0, queueLengthLimit = 0 }: QueuingConfiguration, faults: Faults) {
  if (queueLengthLimit <= 0) faults.invalid("queueLengthLimit", queueLengthLimit, "must be positive");
  if (queues <= 0) faults.invalid("queues", queues, "must be positive");
  else if (queues > queuesMax) faults.invalid("queues", queues, `must not be greater than ${queuesMax}`);
  if (handSize <= 0) faults.invalid("handSize", handSize, "must be positive");
  else if (handSize > queues) {
    faults.invalid("handSize", handSize, `should not be greater than queues (${queues})`);
  } else if (entropyBits(queues, handSize) > entropyBitsMax) {
    const because = `required entropy bits of deckSize ${queues} and handSize ${handSize}`;
    faults.invalid("handSize", handSize, `${because} should not be greater than ${entropyBitsMax}`);
  }
}

/** The number of bits that choose one hand of cards from a deck. */
function entropyBits(deckSize: number, handSize: number): number {
  return Math.ceil(Math.log2(deckSize) * handSize);
}
