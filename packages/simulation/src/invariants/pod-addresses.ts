import { isPodTerminal, type Pod } from "@kintsugi/api";
import type { CommittedChange } from "@kintsugi/store";
import { isReady } from "../reading.ts";
import { type Check, hearsayMs, type Invariant, type Seen } from "./invariant.ts";
import { type Known, nameOf } from "./known.ts";

/** S24: an address leads to one pod. */
export class PodAddresses implements Invariant {
  readonly name = "S24";
  readonly never = "two live pods with the same address for longer than their kubelet takes to say better";
  readonly #known: Known;
  /** By address, the store keys of the live pods that have it. */
  readonly #holders = new Map<string, Set<string>>();
  /** Addresses with two holders, by since when. */
  readonly #clashes = new Map<string, number>();

  constructor({ known }: { known: Known }) {
    this.#known = known;
  }

  pod({ type, object, before, change }: Seen<Pod>, check: Check): void {
    const [had, has] = [before && addressOf(before), type === "delete" ? undefined : addressOf(object)];
    if (had === has) return;
    const { key } = change.entry;
    if (had !== undefined) this.#release(had, key);
    if (has === undefined) return;
    const holders = this.#holders.get(has) ?? new Set();
    this.#holders.set(has, holders.add(key));
    if (holders.size > 1) this.#clashes.set(has, this.#known.awakeMs);
    check(undefined);
  }

  change(_: CommittedChange, check: Check): void {
    for (const [address, sinceMs] of this.#clashes) {
      const holders = [...(this.#holders.get(address) ?? [])].map((key) => this.#known.pods.get(key));
      const pods = holders.filter((pod) => pod !== undefined);
      // A kubelet that cannot write cannot say better.
      if (!pods.every((pod) => this.#canBeCorrected(pod))) this.#clashes.set(address, this.#known.awakeMs);
      else if (this.#known.awakeMs - sinceMs > hearsayMs)
        check(`${pods.map(nameOf).join(" and ")} both have ${address}`);
    }
  }

  #release(address: string, key: string): void {
    const holders = this.#holders.get(address);
    holders?.delete(key);
    if ((holders?.size ?? 0) < 2) this.#clashes.delete(address);
    if (holders?.size === 0) this.#holders.delete(address);
  }

  #canBeCorrected({ spec }: Pod): boolean {
    const node = this.#known.node(spec?.nodeName ?? "");
    return node !== undefined && isReady(node);
  }
}

function addressOf(pod: Pod): string | undefined {
  return isPodTerminal(pod) || pod.spec?.hostNetwork === true ? undefined : pod.status?.podIP;
}
