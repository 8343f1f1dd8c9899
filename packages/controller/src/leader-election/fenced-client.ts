import type { CallOptions, Client } from "@kintsugi/client";
import { linkAbort } from "./link-abort.ts";
import type { Leadership } from "./run-for-election.ts";

/**
 * The client with which a leader works. It never sends a write once the term is over by the
 * leader's own clock, so a process that was suspended for a minute detects the end before it
 * writes. It cancels writes in flight when the Lease is lost. Writes that are already on the
 * network are fenced by their resourceVersions and UIDs. A creation has neither a resourceVersion
 * nor a UID, so only the time between the renew deadline and the end of the lease prevents a late
 * creation.
 */
export function fencedClient(client: Client, leadership: Leadership): Client {
  const write = async <R>(call: (signal: AbortSignal) => Promise<R>, options: CallOptions = {}): Promise<R> => {
    leadership.lost.throwIfAborted();
    if (!leadership.isCurrent()) throw new Error("the leader's term is over: write not sent");
    // Most writes have no time limit except the term's end.
    if (options.signal === undefined) return call(leadership.lost);
    const linked = new AbortController();
    const unlinks = [leadership.lost, options.signal].map((signal) => linkAbort(signal, linked));
    try {
      return await call(linked.signal);
    } finally {
      for (const unlink of unlinks) unlink();
    }
  };
  return {
    get: (type, key, options) => client.get(type, key, options),
    find: (type, key, options) => client.find(type, key, options),
    list: (type, options) => client.list(type, options),
    watch: (type, options) => client.watch(type, options),
    create: (type, object, options) => write((signal) => client.create(type, object, { ...options, signal }), options),
    update: (type, object, options) => write((signal) => client.update(type, object, { ...options, signal }), options),
    patch: (type, key, ...[patch, options]) =>
      write((signal) => client.patch(type, key, patch, { ...options, signal }), options),
    delete: (type, key, options) => write((signal) => client.delete(type, key, { ...options, signal }), options),
    call: (request) => {
      if (request.method === "GET") return client.call(request);
      const options = request.signal ? { signal: request.signal } : {};
      return write((signal) => client.call({ ...request, signal }), options);
    },
    onReturn: (handler) => client.onReturn(handler),
    close: () => client.close(),
  };
}
