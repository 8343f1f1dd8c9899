import { type ApiObject, type Event, type Pod, pods, type ResourceType } from "@kintsugi/api";

/** A cluster as a source shows it: the objects of each kind, and the unknown parts. */
export interface ClusterPicture {
  /** The name of the source: "cluster.json", "context prod". */
  readonly source: string;
  /** The time at which the source was taken, derived from its newest times. */
  readonly takenAtMs: number;
  /** The minor version of Kubernetes, 33 of "v1.33.1"; undefined if no node shows it. */
  readonly minor: number | undefined;
  readonly objects: ReadonlyMap<string, readonly ApiObject[]>;
  readonly kinds: readonly KindReading[];
  /** Kinds of objects that are in the source and have no effect in a rehearsal. */
  readonly unmodelled: readonly UnmodelledKind[];
  /** Sentences about objects that could not be read, so that the answers ignore these objects. */
  readonly leftOut: readonly string[];
  /** The past of the cluster, if the source is a record. */
  readonly recorded?: ShownPast;
  /** Sentences about differences from the source, and their reasons. */
  readonly notes: readonly string[];
}

/** The parts of a record that show durations. */
export interface ShownPast {
  readonly durationMs: number;
  /** Each pod as it was when it was Ready for the first time. */
  readonly pods: readonly Pod[];
  readonly events: readonly Event[];
  readonly stops: readonly { readonly pod: Pod; readonly stopMs: number }[];
  /** Restarts that were observed, by the UID of the pod and the name of the container. */
  readonly restarts: ReadonlyMap<string, number>;
}

/** The state of one kind in a source. */
export interface KindReading {
  readonly resource: string;
  readonly state: "read" | "unknown";
  readonly count: number;
  /**
   * The reason why the list was refused, and the facts that are therefore unknown; empty if the
   * list was read, or is only absent.
   */
  readonly because: string;
}

export interface UnmodelledKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly count: number;
}

/** Returns the objects of a kind, in the order of their names. */
export function objectsOf<T extends ApiObject>(
  { objects }: Pick<ClusterPicture, "objects">,
  type: ResourceType<T>,
): readonly T[] {
  return (objects.get(type.resource) ?? []) as readonly T[];
}

/** Reports whether the source shows all objects of the kind. */
export function isKnown(
  { kinds }: Pick<ClusterPicture, "kinds">,
  { resource }: Pick<ResourceType, "resource">,
): boolean {
  return kinds.some((reading) => reading.resource === resource && reading.state === "read");
}

/**
 * Reports whether a source neither shows pods nor states that their list is empty. Pods are then
 * derived from its workloads.
 */
export function podsAreUnknown(picture: Pick<ClusterPicture, "objects" | "kinds">): boolean {
  return objectsOf(picture, pods).length === 0 && !isKnown(picture, pods);
}
