import {
  type ApiObject,
  csiNodes,
  endpointSlices,
  events,
  isApiError,
  isPodBound,
  leases,
  nodeLeaseNamespace,
  persistentVolumes,
  resourceClaims,
  type ResourceType,
  storageClasses,
  type TimerProfile,
  volumeAttachments,
} from "@kintsugi/api";
import { type Explained, explainers } from "../explain.ts";
import type { KindsRead, Objects, World } from "../world.ts";
import { explainedTypes } from "./explain-target.ts";
import type { ListingOptions, ExplanationReader } from "./object-reader.ts";

type Resource = keyof KindsRead;

const types: Readonly<Record<Resource, ResourceType>> = {
  ...explainedTypes,
  leases,
  events,
  endpointslices: endpointSlices,
  persistentvolumes: persistentVolumes,
  storageclasses: storageClasses,
  csinodes: csiNodes,
  volumeattachments: volumeAttachments,
  resourceclaims: resourceClaims,
};

export interface ReadWorld {
  readonly world: World;
  /** A sentence for each kind that could not be read. */
  readonly unread: readonly string[];
}

/**
 * Reads the kinds that the explanation of an object needs, with the caller's own rights. A kind
 * that may not be read is reported, and the explanation uses the other kinds.
 */
export async function readWorld(
  client: Pick<ExplanationReader, "list">,
  { resource, object }: { resource: Explained; object: ApiObject },
  { timers, nowMs }: { timers: TimerProfile; nowMs: () => number },
): Promise<ReadWorld> {
  const { near, wide }: { near: readonly Resource[]; wide: readonly Resource[] } = explainers[resource];
  const { namespace = "", name = "" } = object.metadata;
  const queries = [
    ...near.map((kind) => ({ kind, options: { namespace } })),
    ...wide.map((kind) => ({ kind, options: wideOptions(kind, { resource, name }) })),
  ];
  const answers = await Promise.all(queries.map(({ kind, options }) => readKind(client, kind, options)));
  const objects: Partial<Record<Resource, readonly ApiObject[]>> = {};
  for (const { kind, items } of answers) if (items !== undefined) objects[kind] = [...(objects[kind] ?? []), ...items];
  const unread = answers.flatMap(({ problem }) => problem ?? []);
  const world = { objects: objects as Objects, timers, nowMs: nowMs() };
  if (!waitsForNode({ resource, object }, world)) return { world, unread };
  return withAllPods(client, await withDeviceClaims(client, { world, unread }, namespace));
}

/**
 * Claims of devices are read only if a pod has such claims, because older servers do not serve the
 * kind.
 */
async function withDeviceClaims(
  client: Pick<ExplanationReader, "list">,
  { world, unread }: ReadWorld,
  namespace: string,
): Promise<ReadWorld> {
  const areUsed = (world.objects.pods ?? []).some(({ spec }) => (spec?.resourceClaims ?? []).length > 0);
  if (!areUsed) return { world, unread };
  const { items, problem } = await readKind(client, "resourceclaims", { namespace });
  const claims = items === undefined ? {} : { resourceclaims: items as KindsRead["resourceclaims"][] };
  return {
    world: { ...world, objects: { ...world.objects, ...claims } },
    unread: problem === undefined ? unread : [...unread, problem],
  };
}

/** Reports whether an explained pod has no node, so that the room on each node is needed. */
function waitsForNode({ resource, object }: { resource: Explained; object: ApiObject }, { objects }: World): boolean {
  if (resource === "nodes") return false;
  const { name } = object.metadata;
  return (objects.pods ?? []).some((pod) => !isPodBound(pod) && (resource !== "pods" || pod.metadata.name === name));
}

/** The room on each node is computed from these kinds; affinities refer to labels of namespaces. */
const kindsOfRoom = ["pods", "namespaces", "csinodes", "volumeattachments"] as const;

/** Reads the objects that determine the room on each node, of all namespaces. */
async function withAllPods(client: Pick<ExplanationReader, "list">, { world, unread }: ReadWorld): Promise<ReadWorld> {
  const answers = await Promise.all(kindsOfRoom.map((kind) => readKind(client, kind, {})));
  const problems = answers.flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0) return { world, unread: [...unread, ...problems] };
  const objects = {
    ...world.objects,
    ...Object.fromEntries(answers.map(({ kind, items }) => [kind, items])),
  } as Objects;
  return { world: { ...world, objects, hasAllPods: true }, unread };
}

function wideOptions(kind: Resource, about: { resource: Explained; name: string }): ListingOptions {
  if (kind === "leases") return { namespace: nodeLeaseNamespace };
  // The pods of one node are few, while a cluster may have many.
  if (kind === "pods" && about.resource === "nodes") return { fieldSelector: `spec.nodeName=${about.name}` };
  return {};
}

interface Answer {
  readonly kind: Resource;
  readonly items?: readonly ApiObject[];
  readonly problem?: string;
}

async function readKind(
  client: Pick<ExplanationReader, "list">,
  kind: Resource,
  options: ListingOptions,
): Promise<Answer> {
  try {
    const { items } = await client.list(types[kind], options);
    return { kind, items };
  } catch (error) {
    if (!isApiError(error, "Forbidden", "NotFound", "MethodNotAllowed")) throw error;
    const { namespace = "" } = options;
    const place = namespace === "" ? "of the cluster" : `of the namespace ${namespace}`;
    const why = isApiError(error, "Forbidden")
      ? "you may not list these objects"
      : "the API server does not serve these objects";
    return { kind, problem: `${types[kind].resource} ${place}: ${why}, so the explanation may be incomplete.` };
  }
}
