import {
  type ApiObject,
  applyDefaults,
  controllerRevisions,
  daemonSets,
  events,
  generateJobSelector,
  horizontalPodAutoscalers,
  isConditionTrue,
  isPodBound,
  isPodTerminal,
  type Job,
  jobs,
  type Kind,
  type Namespace,
  namespaces,
  type Node,
  nodes,
  type PersistentVolume,
  persistentVolumes,
  type Pod,
  pods,
  type ResourceType,
  statefulSets,
} from "@kintsugi/api";
import { objectsOf, type ClusterPicture } from "../picture/picture.ts";
import { rehearsedKinds } from "../picture/rehearsed-kinds.ts";
import { plainNamespace, plainObject, plainPod, plainWorkload } from "./plain-object.ts";
import { revisionsOf } from "./revisions.ts";
import { neverAttachedAnnotation, isMounted } from "./volumes.ts";
import { type ShownGrace, shownGrace } from "./shown-grace.ts";

/** An object with which the rehearsed cluster starts. */
export interface StartObject {
  readonly kind: Kind;
  readonly object: ApiObject;
}

/** The state from which every run of a rehearsal begins. */
export interface StartState {
  readonly takenAtMs: number;
  readonly minor: number | undefined;
  /** The grace period of silent nodes, if it was observed. */
  readonly grace: ShownGrace | undefined;
  /** The control plane is Kintsugi's own, which detects a silent node immediately. */
  readonly isKintsugi: boolean;
  readonly objects: readonly StartObject[];
  readonly nodes: readonly Node[];
  /**
   * Keys that a controller has to reconcile at the start of a run, by the name of its queue. The
   * other objects are as desired. Undefined for all keys.
   */
  readonly unfinishedKeys?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Sentences about the differences between the rehearsed cluster and the real cluster. */
  readonly notes: readonly string[];
}

/**
 * Makes the start state of a picture: the whole cluster, without the parts that a rehearsal cannot
 * represent.
 */
export function startState(picture: ClusterPicture): StartState {
  const { takenAtMs, minor } = picture;
  const living = livingObjects(picture);
  const uids = new Set([...living.values()].flatMap((all) => all.map(({ metadata }) => metadata.uid ?? "")));
  const plain = new Map(
    rehearsedKinds.flatMap(({ kind, use }): [string, readonly ApiObject[]][] => {
      const { resource } = kind.type;
      if (use !== "runs" || resource === controllerRevisions.resource) return [];
      const all = living.get(resource) ?? [];
      return [[resource, all.map((object) => withDefaults(kind, plainOf(resource, object, uids)))]];
    }),
  );
  const sets = {
    statefulSets: objectsOf({ objects: plain }, statefulSets),
    daemonSets: objectsOf({ objects: plain }, daemonSets),
    pods: objectsOf({ objects: plain }, pods),
    revisions: objectsOf(picture, controllerRevisions),
  };
  plain.set(controllerRevisions.resource, revisionsOf(sets));
  plain.set(namespaces.resource, withAllNamespaces(plain));
  return {
    takenAtMs,
    minor,
    grace: shownGrace(picture),
    isKintsugi: objectsOf(picture, nodes).some(
      ({ status }) => status?.nodeInfo?.kubeletVersion?.includes("+kintsugi") === true,
    ),
    objects: rehearsedKinds.flatMap(({ kind, use }) =>
      use === "runs"
        ? (plain.get(kind.type.resource) ?? []).map((object) => ({ kind, object: named(kind.type, object) }))
        : [],
    ),
    nodes: objectsOf({ objects: plain }, nodes),
    notes: notesOf(picture),
  };
}

function livingObjects(picture: ClusterPicture): Map<string, readonly ApiObject[]> {
  const nodeNames = new Set(objectsOf(picture, nodes).map(({ metadata }) => metadata.name ?? ""));
  const ready = new Set(
    objectsOf(picture, nodes)
      .filter(nodeIsReady)
      .map(({ metadata }) => metadata.name ?? ""),
  );
  const runs = [...picture.objects].filter(([resource]) => resource !== events.resource);
  return new Map(
    runs.map(([resource, all]) => {
      if (resource === pods.resource)
        return [resource, (all as readonly Pod[]).filter((pod) => staysInPicture(pod, { nodeNames, ready }))];
      return [resource, all.filter(({ metadata }) => metadata.deletionTimestamp === undefined)];
    }),
  );
}

/**
 * A pod that has ended does not use resources, a terminating pod on a running node is deleted soon,
 * and a pod on a node outside of the picture is unknown.
 */
function staysInPicture(
  pod: Pod,
  { nodeNames, ready }: { nodeNames: ReadonlySet<string>; ready: ReadonlySet<string> },
): boolean {
  const { nodeName = "" } = pod.spec ?? {};
  if (isPodTerminal(pod)) return false;
  if (isPodBound(pod) && !nodeNames.has(nodeName)) return false;
  return pod.metadata.deletionTimestamp === undefined || (isPodBound(pod) && !ready.has(nodeName));
}

export function nodeIsReady({ status }: Node): boolean {
  return isConditionTrue(status?.conditions, "Ready");
}

function plainOf(resource: string, object: ApiObject, uids: ReadonlySet<string>): ApiObject {
  const plain = plainObject(object, uids);
  switch (resource) {
    case pods.resource:
      return plainPod(plain as Pod);
    case namespaces.resource:
      return plainNamespace(plain);
    case persistentVolumes.resource:
      return withoutDriver(plain as PersistentVolume);
    default:
      return plainWorkload(plain);
  }
}

/**
 * A volume keeps its location, its size and its modes. Its driver does not exist, so it is a
 * directory that every node can mount. The run's own gate enforces that one node at a time uses it.
 */
function withoutDriver(volume: PersistentVolume): PersistentVolume {
  const { accessModes, capacity, claimRef, nodeAffinity, persistentVolumeReclaimPolicy, storageClassName, volumeMode } =
    volume.spec ?? {};
  const kept = {
    accessModes,
    capacity,
    claimRef,
    nodeAffinity,
    persistentVolumeReclaimPolicy,
    storageClassName,
    volumeMode,
  };
  const defined = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
  const metadata = isMounted(volume) ? withAnnotation(volume.metadata) : volume.metadata;
  return { ...volume, metadata, spec: { ...defined, hostPath: { path: `/volumes/${volume.metadata.name ?? ""}` } } };
}

function withAnnotation(metadata: PersistentVolume["metadata"]): PersistentVolume["metadata"] {
  return { ...metadata, annotations: { ...metadata.annotations, [neverAttachedAnnotation]: "true" } };
}

/** Objects may be in namespaces that the source does not show. */
function withAllNamespaces(plain: ReadonlyMap<string, readonly ApiObject[]>): Namespace[] {
  const shown = objectsOf({ objects: plain }, namespaces);
  const names = new Set([...plain.values()].flatMap((all) => all.flatMap(({ metadata }) => metadata.namespace ?? [])));
  for (const { metadata } of shown) names.delete(metadata.name ?? "");
  const missing = [...names].toSorted().map((name): Namespace => ({
    metadata: { name, uid: `namespace-${name}`, labels: { "kubernetes.io/metadata.name": name } },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  }));
  return [...shown, ...missing];
}

/**
 * The server sets these fields when it creates an object; a template without them is a different
 * template.
 */
function withDefaults(kind: Kind, object: ApiObject): ApiObject {
  const complete = applyDefaults(kind, structuredClone(named(kind.type, object)));
  // A Job of a manifest that has no selector never finds its pods, and creates pods forever.
  if (kind.type.resource === jobs.resource && (complete as Job).spec?.selector === undefined)
    generateJobSelector(complete as Job);
  return complete;
}

/** Every stored object has its kind, a UID and a time. */
function named({ group, version, kind }: ResourceType, object: ApiObject): ApiObject {
  const { name = "", namespace = "", uid, creationTimestamp } = object.metadata;
  return {
    ...object,
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind,
    metadata: {
      ...object.metadata,
      uid: uid ?? `${kind}-${namespace}-${name}`.toLowerCase(),
      ...(creationTimestamp === undefined ? { creationTimestamp: "2026-01-01T00:00:00Z" } : {}),
    },
  };
}

function notesOf(picture: ClusterPicture): string[] {
  const all = objectsOf(picture, pods);
  const autoscalers = objectsOf(picture, horizontalPodAutoscalers).length;
  const foreign = all.filter(({ spec }) => !["default-scheduler", "", undefined].includes(spec?.schedulerName)).length;
  const leaving = all.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length;
  const devices = all.filter(({ spec }) => (spec?.resourceClaims ?? []).length > 0).length;
  return [
    ...picture.notes,
    ...(autoscalers > 0
      ? [`${autoscalers} HorizontalPodAutoscalers are not simulated: their workloads keep their current size`]
      : []),
    ...(foreign > 0 ? [`${foreign} pods belong to another scheduler, and are placed as by the default scheduler`] : []),
    ...(leaving > 0 ? [`${leaving} pods are being deleted; pods among them on Ready nodes count as removed`] : []),
    ...(devices > 0 ? [`${devices} pods claim devices, which are not modelled`] : []),
  ];
}
