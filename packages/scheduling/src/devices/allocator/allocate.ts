import type { AllocationResult, ResourceClaim } from "@kintsugi/api";
import { prepareDemands } from "./candidates.ts";
import { mayHaveEnough } from "./enough-devices.ts";
import { resultOf } from "./result.ts";
import { Search } from "./search.ts";
import type { AllocationBudget, AllocationWorld } from "./world.ts";

// The devices of all claims of a pod on one node:
//
//   claims ─► requests ─► alternatives ─► candidates: the devices of complete pools that the node
//                                         reaches, free, tolerated, and selected
//                                             │ too few for all requests ──► does not fit
//                                             ▼
//   claim 1, request a, device 1 ─► device 2 ─► request b … ─► claim 2 … ─► all are taken: fits
//            ▲ a constraint, a counter or a capacity rejects: the next candidate
//            └── no candidate is left: back to the previous device
//
// The first solution is used, as in upstream. Within a request devices are tried in the order of
// the candidates, so each set of devices is tried once.

/** A node whose devices make the search long must not use up the budget of other nodes. */
const stepsPerNode = 10_000;

export type AllocationOutcome =
  /** The allocations of the claims, in their order. `ranks`: see `rankOf`. */
  | { is: "allocated"; allocations: readonly AllocationResult[]; ranks: readonly number[] }
  | { is: "does not fit" }
  /** A claim, a class or a device is invalid, or the search would take too long. */
  | { is: "fault"; because: string };

/** Chooses devices for the claims on the node. Pure, except for the budget that it uses up. */
export function allocateDevices(
  claims: readonly ResourceClaim[],
  world: AllocationWorld,
  budget: AllocationBudget,
): AllocationOutcome {
  const prepared = prepareDemands(claims, world, budget);
  if ("because" in prepared) return { is: "fault", because: prepared.because };
  if (!mayHaveEnough(prepared.claims)) return { is: "does not fit" };
  const steps = Math.min(budget.stepsLeft, stepsPerNode);
  const search = new Search(prepared.claims, { inUse: world.inUse, steps });
  const found = search.run();
  budget.stepsLeft -= steps - search.stepsLeft;
  switch (found) {
    case "none":
      return { is: "does not fit" };
    case "stopped":
      return { is: "fault", because: tooLong };
    case "found":
      return {
        is: "allocated",
        allocations: prepared.claims.map((claim, index) => resultOf(claim, search.takenFor(index), world.node)),
        ranks: prepared.claims.flatMap((_, index) => search.ranksOf(index)),
      };
  }
}

/** This project's limit: upstream searches until its filter times out. */
export const tooLong = "search for devices took too many steps, use fewer requests or more specific selectors";
