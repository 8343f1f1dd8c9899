import { controllerOf, type Deployment, scaledCount, deployments, replicaSets } from "@kintsugi/api";
import { type Check, type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { staleViewMs } from "../observed/stale-view.ts";

interface Bounds {
  fewest: number;
  most: number;
}

/** A value, with the time at which it was replaced on the clock of `Known.activeMs`. */
interface Past<T> {
  value: T;
  untilMs: number;
}

interface Asked {
  replicas: number;
  /** The size that its Deployment had when this size was set. */
  desired: string | undefined;
  /** The number of available pods in its status. */
  available: readonly Past<number>[];
}

const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";

/** A set's size has changed. */
interface Sized {
  /** The name of the Deployment. */
  name: string;
  bounds: readonly Bounds[];
  before: Asked | undefined;
  after: Asked;
  others: readonly Asked[];
  activeMs: number;
}

/** The sets of a Deployment never exceed its surge. */
export function rolloutsStayWithinSurge(context: InvariantContext): Invariant {
  return {
    name: "rollouts-stay-within-surge",
    never: "a Deployment whose sets together request more pods than its surge allows",
    ...followRollouts(context, ({ name, bounds, before, after, others }, check) => {
      if (after.replicas < (before?.replicas ?? 0)) return;
      const most = Math.max(...bounds.map((each) => each.most));
      const asked = [after, ...others].reduce((sum, { replicas }) => sum + replicas, 0);
      check(asked > most ? `the sets of ${name} request ${asked} pods, but at most ${most} are allowed` : undefined);
    }),
  };
}

/**
 * A set with unavailable pods loses the unavailable pods first, as the order of deletions requires.
 */
export function rolloutsKeepAvailablePods(context: InvariantContext): Invariant {
  return {
    name: "rollouts-keep-available-pods",
    never: "a rollout that deletes available pods although fewer remain than the Deployment must keep available",
    ...followRollouts(context, ({ name, bounds, before, after, others, activeMs }, check) => {
      if (before === undefined || after.replicas > before.replicas) return;
      // The Deployment was scaled, so each set shrinks by its share, regardless of the state of its
      // pods.
      if (before.desired !== after.desired) return;
      const seen = held(before.available, activeMs);
      // Only pods that did not serve were deleted, according to one of the possible caches.
      if (seen.some((available) => available <= after.replicas)) return check(undefined);
      const elsewhere = others.reduce(
        (sum, set) => sum + Math.min(set.replicas, Math.max(...held(set.available, activeMs))),
        0,
      );
      const fewest = Math.min(...bounds.map((each) => each.fewest));
      const left = elsewhere + after.replicas;
      check(
        left < fewest ? `${name} keeps ${left} of its available pods, but at least ${fewest} are required` : undefined,
      );
    }),
  };
}

/**
 * Records the wanted sizes of Deployments and their sets, now and within the last 15 s, which is
 * the oldest cache that a controller may have.
 */
function followRollouts(
  { known }: InvariantContext,
  sized: (change: Sized, check: Check) => void,
): Required<Pick<Invariant, "observes">> {
  const boundsByUid = new Map<string, Past<Bounds>[]>();
  /** The sets by the Deployment's UID, and then by the UID of the set. */
  const setsByOwner = new Map<string, Map<string, Asked>>();

  return {
    observes: [
      onKind(deployments, ({ type, object }) => {
        const { uid = "", deletionTimestamp } = object.metadata;
        const isGoing = type === "delete" || deletionTimestamp !== undefined;
        const next = isGoing ? { fewest: 0, most: 0 } : boundsOf(object);
        const past = boundsByUid.get(uid) ?? [];
        boundsByUid.set(uid, followed(past, next, known.activeMs));
      }),
      onKind(replicaSets, ({ type, object }, check) => {
        const owner = controllerOf(object);
        if (owner?.kind !== "Deployment") return;
        const { activeMs } = known;
        const sets = setsByOwner.get(owner.uid) ?? new Map<string, Asked>();
        const { uid = "", annotations } = object.metadata;
        const before = sets.get(uid);
        const after: Asked = {
          replicas: type === "delete" ? 0 : (object.spec?.replicas ?? 1),
          desired: annotations?.[desiredAnnotation],
          available: followed(before?.available ?? [], object.status?.availableReplicas ?? 0, activeMs),
        };
        const others = [...sets].filter(([other]) => other !== uid).map(([, asked]) => asked);
        if (type === "delete") sets.delete(uid);
        else sets.set(uid, after);
        setsByOwner.set(owner.uid, sets);
        const bounds = held(boundsByUid.get(owner.uid) ?? [], activeMs);
        // A set that is deleted with its Deployment, or after it, no longer belongs to a rollout.
        if (bounds.length > 0 && after.replicas !== (before?.replicas ?? 0))
          sized({ name: owner.name, bounds, before, after, others, activeMs }, check);
      }),
    ],
  };
}

function followed<T>(past: readonly Past<T>[], value: T, activeMs: number): Past<T>[] {
  const kept = past.filter(({ untilMs }) => untilMs + staleViewMs >= activeMs);
  const ended = kept.map((each) => ({ ...each, untilMs: Math.min(each.untilMs, activeMs) }));
  return [...ended, { value, untilMs: Infinity }];
}

function held<T>(past: readonly Past<T>[], activeMs: number): T[] {
  return past.filter(({ untilMs }) => untilMs + staleViewMs >= activeMs).map(({ value }) => value);
}

function boundsOf({ spec }: Deployment): Bounds {
  const replicas = spec?.replicas ?? 1;
  if (spec?.strategy?.type === "Recreate") return { fewest: 0, most: replicas };
  const { maxSurge = 0, maxUnavailable = 0 } = spec?.strategy?.rollingUpdate ?? {};
  const surge = scaledCount(maxSurge, replicas, "up");
  const missing = scaledCount(maxUnavailable, replicas, "down");
  return { fewest: Math.max(0, replicas - (surge + missing === 0 ? 1 : missing)), most: replicas + surge };
}
