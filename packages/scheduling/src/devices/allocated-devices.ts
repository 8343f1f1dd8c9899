import type { AllocationResult } from "@kintsugi/api";
import { deviceId } from "@kintsugi/rules";
import type { DevicesInUse } from "./allocator/world.ts";
import { addShare, type CapacityAmounts } from "./allocator/capacity.ts";
import { nanosOf } from "./allocator/pool.ts";

interface Use {
  /** The claims that have the device as a whole: one claim, unless the API reports more. */
  whole: number;
  shares: number;
  readonly amounts: Map<string, bigint>;
}

const noShares: CapacityAmounts = new Map();

/** Counts the devices of allocations that are added and removed. */
export class AllocatedDevices implements DevicesInUse {
  readonly #uses = new Map<string, Use>();

  has(device: string): boolean {
    return this.#uses.has(device);
  }

  isTaken(device: string): boolean {
    return (this.#uses.get(device)?.whole ?? 0) > 0;
  }

  sharesOf(device: string): CapacityAmounts {
    return this.#uses.get(device)?.amounts ?? noShares;
  }

  /** Adds the devices of an allocation, or subtracts them if `sign` is -1. */
  count(allocation: AllocationResult, sign: 1 | -1): void {
    for (const result of allocation.devices?.results ?? []) {
      // Administrative access does not use up devices.
      if (result.adminAccess === true) continue;
      const id = deviceId(result);
      const use = this.#uses.get(id) ?? { whole: 0, shares: 0, amounts: new Map<string, bigint>() };
      if (result.shareID === undefined) use.whole += sign;
      else {
        use.shares += sign;
        const consumed = Object.entries(result.consumedCapacity ?? {});
        const amounts = new Map(consumed.map(([name, amount]) => [name, nanosOf(amount)]));
        addShare(use.amounts, amounts, sign === 1 ? 1n : -1n);
      }
      if (use.whole === 0 && use.shares === 0) this.#uses.delete(id);
      else this.#uses.set(id, use);
    }
  }
}
