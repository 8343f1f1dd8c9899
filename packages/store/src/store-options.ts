import type { WindowLimits } from "./state/change-window.ts";

/**
 * Limits of the history that a store keeps for watchers that resume and for pages of an older list.
 */
export interface StoreOptions {
  /**
   * Time that changes of a resource are kept. Default 5 min, as etcd's compaction in Kubernetes.
   */
  windowMs: number;
  /** Number of newest changes of a resource that are kept however old they are. Default 1,000. */
  windowEventsMin: number;
  /** Maximum bytes of a resource's kept changes. Default 64 MiB. */
  windowBytesMax: number;
  /**
   * Resources whose window is limited by count alone, because they change all the time and clients
   * do not read their past: `{ "coordination.k8s.io/leases": 1000 }`. Default none.
   */
  windowEventsMaxByResource: Readonly<Record<string, number>>;
}

const defaults: StoreOptions = {
  windowMs: 5 * 60_000,
  windowEventsMin: 1000,
  windowBytesMax: 64 * 2 ** 20,
  windowEventsMaxByResource: {},
};

export function withDefaults(options: Partial<StoreOptions>): StoreOptions {
  return { ...defaults, ...options };
}

export function windowLimitsFor(options: StoreOptions): (resource: string) => WindowLimits {
  const { windowMs: durationMs, windowEventsMin: eventsMin, windowBytesMax: bytesMax } = options;
  return (resource) => {
    const eventsMax = options.windowEventsMaxByResource[resource] ?? Infinity;
    return { durationMs, eventsMin, eventsMax, bytesMax };
  };
}
