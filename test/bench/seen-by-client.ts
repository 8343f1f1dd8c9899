import { type ApiObject, type Pod, pods } from "@kintsugi/api";
import { type Client, createInformer, type Informer, type InformerOptions } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";

/**
 * The pods of the namespace "default", as a client with a watch receives them, until the signal
 * aborts.
 */
export function followPods(client: Client, signal: AbortSignal): Promise<Informer<Pod>> {
  return follow(client, { type: pods, namespace: "default" }, signal);
}

/** Follows the objects that a client with a watch receives, until the signal aborts. */
export async function follow<T extends ApiObject>(
  client: Client,
  what: InformerOptions<T>,
  signal: AbortSignal,
): Promise<Informer<T>> {
  const deps = { client, clock: systemClock, random: systemRandom };
  const informer = createInformer(deps, what);
  void informer.run(signal).catch(() => {});
  await informer.waitForSync(signal);
  return informer;
}

/**
 * Resolves with the time at which an object was observed for which this is true, now or later.
 * @throws Error with `what` after `patienceMs`.
 */
export function whenSeen<T extends ApiObject>(
  informer: Informer<T>,
  holds: (object: T) => boolean,
  { what, patienceMs }: { what: string; patienceMs: number },
): Promise<number> {
  return new Promise((resolve, reject) => {
    let stop = () => {};
    const timer = setTimeout(() => {
      stop();
      reject(new Error(`not seen within ${patienceMs / 1000} s: ${what}`));
    }, patienceMs);
    stop = informer.onChange(({ object }) => {
      if (!holds(object)) return;
      clearTimeout(timer);
      // The handler may run while it is being added, before it can be stopped.
      queueMicrotask(() => stop());
      resolve(performance.now());
    });
  });
}
