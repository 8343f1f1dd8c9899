import { type EndpointSlice, isPodTerminal, type Pod } from "@kintsugi/api";
import type { Copy } from "../liveness/copies.ts";
import { isReady } from "../reading.ts";
import { type Check, hearsayMs, type Invariant, type Seen } from "./invariant.ts";
import { type Known, nameOf } from "./known.ts";

/**
 * S24: a Service leads only to pods that serve. Whoever writes a slice has seen its pods a moment ago: what is asked for is that each
 * endpoint that it calls ready was so at some time that its writer may still have been looking at. One that hears nothing, as it has stood
 * still or its line is bad, goes on with the copy that it has; how long that may be older than the truth is L1's affair.
 */
export class EndpointsServe implements Invariant {
  readonly name = "S24";
  readonly never =
    "an endpoint called ready whose pod was not, at that address and to stay, at any time in the 15 s before, neither in truth nor in a controller's copy";
  readonly #known: Known;
  readonly #copies: () => Iterable<Copy>;
  /** By UID and address, when the pod was last Ready there and not on its way out, or believed to be; for ever while it is. */
  readonly #servedMs = new Map<string, number>();
  readonly #followed = new WeakSet<Copy>();

  constructor({ known, copies }: { known: Known; copies: () => Iterable<Copy> }) {
    this.#known = known;
    this.#copies = copies;
  }

  pod({ type, object, before }: Seen<Pod>): void {
    const serves = type === "delete" ? [] : servingAt(object);
    for (const place of before ? servingAt(before) : []) this.#servedMs.set(place, this.#known.awakeMs);
    for (const place of serves) this.#servedMs.set(place, Infinity);
  }

  slice({ type, object }: Seen<EndpointSlice>, check: Check): void {
    if (type === "delete") return;
    for (const { addresses, conditions, targetRef } of object.endpoints ?? []) {
      // One that names no pod is no pod's, as that of the api-server.
      if (conditions?.ready !== true || targetRef === undefined) continue;
      for (const address of addresses) {
        const place = `${targetRef.uid} ${address}`;
        check(
          this.#isPast(place) && !this.#isBelieved(place)
            ? `slice ${nameOf(object)} calls ${address} of pod ${targetRef.name} ready`
            : undefined,
        );
      }
    }
  }

  tick(): void {
    for (const copy of this.#beliefs()) this.#follow(copy);
    for (const [place, servedMs] of this.#servedMs) {
      if (servedMs === Infinity) continue;
      if (this.#isBelieved(place)) this.#servedMs.set(place, this.#known.awakeMs);
      else if (this.#isPast(place)) this.#servedMs.delete(place);
    }
  }

  #isPast(place: string): boolean {
    return this.#known.awakeMs - (this.#servedMs.get(place) ?? -Infinity) > hearsayMs;
  }

  /** Whether some controller still has not heard that this is over. */
  #isBelieved(place: string): boolean {
    for (const { informer } of this.#beliefs())
      if (informer.list().some((pod) => servingAt(pod as Pod).includes(place))) return true;
    return false;
  }

  /** Who catches up passes through all that he has missed, and may write by each of it. */
  #follow(copy: Copy): void {
    if (this.#followed.has(copy)) return;
    this.#followed.add(copy);
    copy.informer.onChange((change) => {
      if (change.type === "added") return;
      const held = change.type === "modified" ? change.before : change.object;
      for (const place of servingAt(held as Pod))
        if (this.#servedMs.get(place) !== Infinity) this.#servedMs.set(place, this.#known.awakeMs);
    });
  }

  /** What controllers hold for the truth about pods. */
  *#beliefs(): Generator<Copy> {
    for (const copy of this.#copies())
      if (copy.owner.startsWith("controller-manager") && copy.informer.type.resource === "pods") yield copy;
  }
}

function servingAt(pod: Pod): string[] {
  if (isPodTerminal(pod) || !isReady(pod) || pod.metadata.deletionTimestamp !== undefined) return [];
  return (pod.status?.podIPs ?? []).map(({ ip }) => `${pod.metadata.uid} ${ip}`);
}
