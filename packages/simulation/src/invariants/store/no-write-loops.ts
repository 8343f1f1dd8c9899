import type { Invariant, InvariantContext } from "../invariant.ts";

/** A cluster of a few nodes never writes this much at one instant, except in a write loop. */
const changesPerInstantMax = 2000;
/**
 * A person may ask for hundreds of pods at once. A new pod is created, bound, started and counted
 * at one instant, and events report this. A loop that makes pods without end is found all the same.
 */
const [changesPerPod, podsPerInstantMax] = [12, 1000];
/**
 * A single object never changes this often: Leases and statuses are written about once a second in
 * the fastest profile. An owner counts its dependents in its status, and may change with each
 * change of a dependent; so may budgets and endpoints with each change of a pod.
 */
const changesOfOneMax = 60;
/** Objects of these kinds describe pods that they do not own. */
const tellingOfPods: readonly string[] = [
  "policy/poddisruptionbudgets",
  "core/endpoints",
  "discovery.k8s.io/endpointslices",
];
const windowMs = 10_000;

/**
 * A process never reacts endlessly to its own writes, and two processes never react endlessly to
 * each other's writes.
 */
export function noWriteLoops({ clock }: InvariantContext): Invariant {
  const instant = { atMs: -1, changes: 0, pods: new Set<string>() };
  /** Changes of each key within the current window. */
  const changesOfKey = new Map<string, number>();
  /** The changes of each owner's dependents within the current window, by the owner's UID. */
  const changesOfOwned = new Map<string, number>();
  /** The changes of pods within the current window. */
  let changesOfPods = 0;
  let currentWindow = 0;

  return {
    name: "no-write-loops",
    never:
      "more than 2,000 changes at one instant in addition to 12 of each changed pod, or more than 60 changes of one object within 10 s in addition to the changes of the objects that it counts",
    change({ entry, resource }, check) {
      const atMs = clock.monotonicMs();
      if (instant.atMs !== atMs) {
        instant.atMs = atMs;
        instant.changes = 0;
        instant.pods.clear();
      }
      const window = Math.floor(atMs / windowMs);
      if (window !== currentWindow) {
        changesOfKey.clear();
        changesOfOwned.clear();
        changesOfPods = 0;
      }
      currentWindow = window;
      const { uid, owners = [] } = entry.index;
      const ofKey = raise(changesOfKey, entry.key);
      for (const owner of owners) raise(changesOfOwned, owner);
      if (resource === "core/pods") {
        changesOfPods++;
        instant.pods.add(entry.key);
      }
      const atOnceMax = changesPerInstantMax + changesPerPod * Math.min(instant.pods.size, podsPerInstantMax);
      const counted = tellingOfPods.includes(resource) ? changesOfPods : (changesOfOwned.get(uid) ?? 0);
      const changesMax = changesOfOneMax + counted;
      const last = () => `${entry.key}: ${Buffer.from(entry.value).toString()}`;
      if (++instant.changes > atOnceMax) check(`${instant.changes} changes at one instant, the last of ${last()}`);
      else check(ofKey > changesMax ? `${ofKey} changes within ${windowMs} ms of ${last()}` : undefined);
    },
  };
}

function raise(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}
