import { type EndpointSlice, isPodTerminal, type Pod } from "@kintsugi/api";
import { isReady } from "../reading.ts";
import { type Check, hearsayMs, type Invariant, type Seen } from "./invariant.ts";
import { type Known, nameOf } from "./known.ts";

/**
 * S24: a Service leads only to pods that serve. Whoever writes a slice has seen its pods a moment ago: what is asked for is that each
 * endpoint that it calls ready was so at some time that its writer may still have been looking at. One that has stood still goes on with
 * the picture that it had, until it has heard what came meanwhile.
 */
export class EndpointsServe implements Invariant {
  readonly name = "S24";
  readonly never =
    "an endpoint called ready, by controllers that did not stand still just now, whose pod was not, at that address and to stay, at any time in the 15 s before";
  readonly #known: Known;
  readonly #controllersAwakeMs: () => number;
  /** By UID and address, when the pod was last Ready there and not on its way out; for ever while it is. */
  readonly #servedMs = new Map<string, number>();

  constructor({ known, controllersAwakeMs }: { known: Known; controllersAwakeMs: () => number }) {
    this.#known = known;
    this.#controllersAwakeMs = controllersAwakeMs;
  }

  pod({ type, object, before }: Seen<Pod>): void {
    const serves = type === "delete" ? [] : servingAt(object);
    for (const place of before ? servingAt(before) : []) this.#servedMs.set(place, this.#known.awakeMs);
    for (const place of serves) this.#servedMs.set(place, Infinity);
  }

  slice({ type, object }: Seen<EndpointSlice>, check: Check): void {
    if (type === "delete" || this.#controllersAwakeMs() <= hearsayMs) return;
    for (const { addresses, conditions, targetRef } of object.endpoints ?? []) {
      // One that names no pod is no pod's, as that of the api-server.
      if (conditions?.ready !== true || targetRef === undefined) continue;
      for (const address of addresses) {
        const servedMs = this.#servedMs.get(`${targetRef.uid} ${address}`) ?? -Infinity;
        const isPast = this.#known.awakeMs - servedMs > hearsayMs;
        check(isPast ? `slice ${nameOf(object)} calls ${address} of pod ${targetRef.name} ready` : undefined);
      }
    }
  }

  tick(): void {
    for (const [place, servedMs] of this.#servedMs)
      if (this.#known.awakeMs - servedMs > hearsayMs) this.#servedMs.delete(place);
  }
}

function servingAt(pod: Pod): string[] {
  if (isPodTerminal(pod) || !isReady(pod) || pod.metadata.deletionTimestamp !== undefined) return [];
  return (pod.status?.podIPs ?? []).map(({ ip }) => `${pod.metadata.uid} ${ip}`);
}
