import type { Invariant, InvariantContext } from "../invariant.ts";

/** Concurrent requests of the api-server: 400 reads and 200 writes, upstream's defaults. */
const inFlightMax = 600;
/**
 * A kubelet follows its pods, its Node and each ConfigMap and Secret of its pods, which are far
 * fewer in these runs.
 */
const watchesOfOneMax = 200;
/**
 * Keys of deleted objects remain until a controller has processed them; in the runs here, more
 * objects are never deleted simultaneously.
 */
const goneMax = 200;

/** State that is held for other processes is bounded. */
export function stateIsBounded({ known, levels }: InvariantContext): Invariant {
  return {
    name: "state-is-bounded",
    never:
      "more than 600 simultaneous requests, 200 watches that one client reads, or more keys in a work queue than objects",
    tick(check) {
      const { pending, streams, objectCount } = known;
      check(pending.size > inFlightMax ? `the api-server has ${pending.size} requests in flight` : undefined);
      const watches = new Map<string, number>();
      // A stream whose client was cut off is no longer read, and the server does not detect the cut
      // because these connections lack keep-alives.
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
