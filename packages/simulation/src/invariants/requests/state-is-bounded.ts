import type { Invariant, InvariantContext } from "../invariant.ts";

/**
 * The api-server works on this many requests at the same time: 400 reading and 200 writing ones, as
 * upstream's defaults.
 */
const inFlightMax = 600;
/**
 * A kubelet follows its pods, its Node and each ConfigMap and Secret of its pods: far fewer here
 * than this.
 */
const watchesOfOneMax = 200;
/**
 * Keys of deleted objects wait until a controller has noticed; in no run here do more of them go
 * immediately.
 */
const goneMax = 200;

/** State that is kept for others has a bound. */
export function stateIsBounded({ known, levels }: InvariantContext): Invariant {
  return {
    name: "state-is-bounded",
    never:
      "more than 600 requests at once, 200 watches that one client reads, or more keys in a work queue than objects",
    tick(check) {
      const { pending, streams, objectCount } = known;
      check(pending.size > inFlightMax ? `the api-server works on ${pending.size} requests` : undefined);
      const watches = new Map<string, number>();
      // A stream whose client was cut off is no longer read; no keep-alive here would report that
      // to the server.
      for (const [{ identity }, { isRead }] of streams)
        if (isRead) watches.set(identity.name, (watches.get(identity.name) ?? 0) + 1);
      for (const [name, count] of watches)
        check(count > watchesOfOneMax ? `${name} has ${count} open watches` : undefined);
      for (const { owner, name, value } of levels()) {
        const isTooMany = value > objectCount + goneMax;
        check(isTooMany ? `the queue ${name} of ${owner} has ${value} keys for ${objectCount} objects` : undefined);
      }
    },
  };
}
