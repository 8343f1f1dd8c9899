import { isPodTerminal, type Pod, pods } from "@kintsugi/api";
import { isReady } from "../../committed-values.ts";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { staleViewMs } from "../observed/stale-view.ts";
import { nameOf } from "../observed/known-objects.ts";

/** An address belongs to one pod. */
export function podAddressesAreUnique({ known }: InvariantContext): Invariant {
  /** The store keys of the live pods that have an address, by the address. */
  const holdersOf = new Map<string, Set<string>>();
  /** Addresses with two holders, with the time at which the second holder appeared. */
  const clashes = new Map<string, number>();

  return {
    name: "pod-addresses-are-unique",
    never: "two live pods with the same address for longer than their kubelet takes to correct it",
    observes: [
      onKind(pods, ({ type, object, before, change }, check) => {
        const [had, has] = [before && addressOf(before), type === "delete" ? undefined : addressOf(object)];
        if (had === has) return;
        const { key } = change.entry;
        if (had !== undefined) release(had, key);
        if (has === undefined) return;
        const holders = holdersOf.get(has) ?? new Set();
        holdersOf.set(has, holders.add(key));
        if (holders.size > 1) clashes.set(has, known.activeMs);
        check(undefined);
      }),
    ],
    change(_, check) {
      for (const [address, sinceMs] of clashes) {
        const holders = [...(holdersOf.get(address) ?? [])].map((key) => known.of(pods).get(key));
        const present = holders.filter((pod) => pod !== undefined);
        // A kubelet that cannot write cannot correct its pod.
        if (!present.every((pod) => canBeCorrected(pod))) clashes.set(address, known.activeMs);
        else if (known.activeMs - sinceMs > staleViewMs)
          check(`${present.map(nameOf).join(" and ")} both have ${address}`);
      }
    },
  };

  function release(address: string, key: string): void {
    const holders = holdersOf.get(address);
    holders?.delete(key);
    if ((holders?.size ?? 0) < 2) clashes.delete(address);
    if (holders?.size === 0) holdersOf.delete(address);
  }

  function canBeCorrected({ spec }: Pod): boolean {
    const node = known.node(spec?.nodeName ?? "");
    return node !== undefined && isReady(node);
  }
}

function addressOf(pod: Pod): string | undefined {
  return isPodTerminal(pod) || pod.spec?.hostNetwork === true ? undefined : pod.status?.podIP;
}
