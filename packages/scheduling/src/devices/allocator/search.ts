import type { DevicesInUse } from "./world.ts";
import { type Candidate, type ClaimDemands, type PreparedDemand, resultsMax } from "./candidates.ts";
import { addShare, type CapacityAmounts, hasRoomFor } from "./capacity.ts";
import { ConstraintState } from "./constraints.ts";
import { CounterLedger } from "./counters.ts";
import { toleratesTaints } from "./demand.ts";

/** A device that was taken for a demand. */
export interface Taken extends Candidate {
  readonly of: PreparedDemand;
}

interface SearchOptions {
  readonly inUse: DevicesInUse;
  /** The devices that may be tried. */
  readonly steps: number;
}

type Found = "found" | "none" | "stopped";

const noShares: CapacityAmounts = new Map();

/** One search for devices, which backtracks and tries other devices where a choice fails. */
export class Search {
  readonly #claims: readonly ClaimDemands[];
  readonly #inUse: DevicesInUse;
  readonly #counters: CounterLedger;
  readonly #constraints: readonly (readonly ConstraintState[])[];
  readonly #taken: Taken[][];
  readonly #ranks: number[][];
  /**
   * Devices that the search has taken as a whole, including for administrative access, with the
   * claim.
   */
  readonly #whole = new Set<string>();
  readonly #admin = new Set<string>();
  /** The shares that the search has taken, by device, and their number. */
  readonly #shares = new Map<string, { count: number; amounts: Map<string, bigint> }>();
  stepsLeft: number;

  constructor(claims: readonly ClaimDemands[], { inUse, steps }: SearchOptions) {
    this.#claims = claims;
    this.#inUse = inUse;
    this.#counters = new CounterLedger((device) => inUse.has(device));
    this.#constraints = claims.map(({ claim }) =>
      (claim.spec.devices?.constraints ?? []).map((constraint) => new ConstraintState(constraint)),
    );
    this.#taken = claims.map(() => []);
    this.#ranks = claims.map(() => []);
    this.stepsLeft = steps;
  }

  run(): Found {
    return this.#request(0, 0);
  }

  /** The devices of the claim with that index, once they are found. */
  takenFor(claim: number): readonly Taken[] {
    return this.#taken[claim] ?? [];
  }

  /** Returns the index of the chosen alternative, for each request that has alternatives. */
  ranksOf(claim: number): readonly number[] {
    const requests = this.#claims[claim]?.requests ?? [];
    return (this.#ranks[claim] ?? []).filter((_, request) => requests[request]?.[0]?.demand.subrequest !== undefined);
  }

  /** Satisfies that request, and all later requests. */
  #request(claim: number, request: number): Found {
    const prepared = this.#claims[claim];
    if (prepared === undefined) return "found";
    const alternatives = prepared.requests[request];
    if (alternatives === undefined) return this.#request(claim + 1, 0);
    const [taken, ranks] = [this.#taken[claim] as Taken[], this.#ranks[claim] as number[]];
    for (const [rank, demand] of alternatives.entries()) {
      // A request for all devices needs at least one device.
      if (demand.count === 0 || taken.length + demand.count > resultsMax) continue;
      ranks[request] = rank;
      const found = this.#devices({ claim, request, demand, missing: demand.count, from: 0 });
      if (found !== "none") return found;
    }
    return "none";
  }

  /** Takes the devices that a demand still needs, from the candidates starting at that index. */
  #devices(context: { claim: number; request: number; demand: PreparedDemand; missing: number; from: number }): Found {
    const { claim, request, demand, missing, from } = context;
    if (missing === 0) return this.#request(claim, request + 1);
    const { candidates } = demand;
    for (let index = from; index <= candidates.length - missing; index++) {
      if (this.stepsLeft <= 0) return "stopped";
      this.stepsLeft--;
      const taken: Taken = { ...(candidates[index] as Candidate), of: demand };
      if (!this.#take(claim, taken)) continue;
      const found = this.#devices({ ...context, missing: missing - 1, from: index + 1 });
      if (found !== "none") return found;
      this.#giveBack(claim, taken);
    }
    return "none";
  }

  #take(claim: number, taken: Taken): boolean {
    const { device, of } = taken;
    const { demand } = of;
    if (!this.#isFree(claim, taken)) return false;
    // If all devices are requested, the taints of the candidates have not been checked.
    if (demand.wantsAll && !toleratesTaints(device.device.taints, demand)) return false;
    const constraints = this.#constraints[claim] ?? [];
    const broken = constraints.findIndex((constraint) => !constraint.take(device, demand));
    const giveBackConstraints = (count: number) => {
      for (const constraint of constraints.slice(0, count)) constraint.giveBack(demand);
    };
    if (broken >= 0) {
      giveBackConstraints(broken);
      return false;
    }
    if (this.#takesCounters(taken) && !this.#counters.take(device)) {
      giveBackConstraints(constraints.length);
      return false;
    }
    this.#mark(claim, taken);
    this.#taken[claim]?.push(taken);
    return true;
  }

  #isFree(claim: number, { device, share, of }: Taken): boolean {
    const { id } = device;
    // Administrative access does not use up devices, but a claim never has the same device twice.
    if (of.demand.isAdmin) return !this.#admin.has(`${claim} ${id}`);
    if (!device.isShareable) return !this.#inUse.has(id) && !this.#whole.has(id);
    if (this.#inUse.isTaken(id)) return false;
    const amounts = new Map(this.#inUse.sharesOf(id));
    addShare(amounts, this.#shares.get(id)?.amounts ?? noShares, 1n);
    return hasRoomFor(share, device, amounts);
  }

  /** A device consumes its counters once, however many requests share it. */
  #takesCounters({ device, of }: Taken): boolean {
    if (of.demand.isAdmin) return false;
    return !device.isShareable || !(this.#inUse.has(device.id) || this.#shares.has(device.id));
  }

  #mark(claim: number, { device, share, of }: Taken): void {
    const { id } = device;
    if (of.demand.isAdmin) this.#admin.add(`${claim} ${id}`);
    else if (!device.isShareable) this.#whole.add(id);
    else {
      const shares = this.#shares.get(id) ?? { count: 0, amounts: new Map<string, bigint>() };
      shares.count++;
      addShare(shares.amounts, share, 1n);
      this.#shares.set(id, shares);
    }
  }

  #giveBack(claim: number, taken: Taken): void {
    const { device, share, of } = taken;
    const { id } = device;
    this.#taken[claim]?.pop();
    if (of.demand.isAdmin) this.#admin.delete(`${claim} ${id}`);
    else if (!device.isShareable) this.#whole.delete(id);
    else {
      const shares = this.#shares.get(id);
      if (shares !== undefined) {
        shares.count--;
        addShare(shares.amounts, share, -1n);
        if (shares.count === 0) this.#shares.delete(id);
      }
    }
    if (this.#takesCounters(taken)) this.#counters.giveBack(device);
    for (const constraint of this.#constraints[claim] ?? []) constraint.giveBack(of.demand);
  }
}
