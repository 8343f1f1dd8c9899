import {
  type ApiObject,
  compareText,
  controllerReference,
  type ControllerRevision,
  type LabelSelector,
  type PodTemplateSpec,
  type ResourceType,
} from "@kintsugi/api";
import { revisionDataOf, hashOf, isSameRevision } from "./revision-data.ts";

/** A workload whose templates are recorded as revisions. */
export interface VersionedWorkload extends ApiObject {
  spec?:
    | { selector: LabelSelector; template?: PodTemplateSpec | undefined; revisionHistoryLimit?: number | undefined }
    | undefined;
  status?: { collisionCount?: number | undefined } | undefined;
}

/** The label of a revision with the hash in its name: upstream's ControllerRevisionHashLabel. */
export const revisionHashLabel = "controller.kubernetes.io/hash";

/** Leaves room for the hash in a name of at most 253 characters: upstream's limit. */
const namePrefixLengthMax = 223;

export type RevisionStep =
  /** The latest revision records the present template. */
  | { do: "keep"; revision: ControllerRevision }
  /**
   * An older revision records the template because the workload was rolled back; that revision
   * becomes the latest.
   */
  | { do: "renumber"; revision: ControllerRevision; number: number }
  | { do: "create"; revision: ControllerRevision };

/**
 * The step that makes the latest revision record the workload's present template.
 *
 * @param revisions all revisions of the workload, oldest first.
 */
export function planRevision(
  owner: VersionedWorkload,
  ownerType: ResourceType<ApiObject>,
  revisions: readonly ControllerRevision[],
): RevisionStep {
  const latest = revisions.at(-1);
  const number = Math.min((latest?.revision ?? 0) + 1, Number.MAX_SAFE_INTEGER);
  const present = newRevision(owner, ownerType, number);
  const equal = revisions.findLast((revision) => isSameRevision(revision, present));
  if (equal === undefined || latest === undefined) return { do: "create", revision: present };
  if (isSameRevision(equal, latest)) return { do: "keep", revision: latest };
  return { do: "renumber", revision: equal, number };
}

/**
 * The revision of the present template under the name that belongs to this number of collisions.
 */
export function withCollisions(
  revision: ControllerRevision,
  owner: ApiObject,
  collisionCount: number,
): ControllerRevision {
  const hash = hashOf(revision.data ?? {}, collisionCount);
  const prefix = (owner.metadata.name ?? "").slice(0, namePrefixLengthMax);
  const { metadata } = revision;
  const labels = { ...metadata.labels, [revisionHashLabel]: hash };
  return { ...revision, metadata: { ...metadata, name: `${prefix}-${hash}`, labels } };
}

function newRevision(owner: VersionedWorkload, ownerType: ResourceType<ApiObject>, number: number): ControllerRevision {
  const { namespace, annotations } = owner.metadata;
  const { template = {} } = owner.spec ?? {};
  const revision: ControllerRevision = {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...template.metadata?.labels },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(owner, ownerType)],
    },
    data: revisionDataOf(template),
    revision: number,
  };
  return withCollisions(revision, owner, owner.status?.collisionCount ?? 0);
}

/** Oldest first; revisions with the same number by their age, then by their name. */
export function compareRevisionNumbers(a: ControllerRevision, b: ControllerRevision): number {
  if (a.revision !== b.revision) return a.revision - b.revision;
  const ofAge = compareText(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "");
  return ofAge === 0 ? compareText(a.metadata.name ?? "", b.metadata.name ?? "") : ofAge;
}

/**
 * The revisions that the history contains beyond `revisionHistoryLimit`. Live revisions, which pods
 * or the status name, do not count and are retained.
 *
 * @param revisions all revisions of the workload, oldest first.
 */
export function planTruncation(
  owner: VersionedWorkload,
  revisions: readonly ControllerRevision[],
  isLive: (revision: ControllerRevision) => boolean,
): ControllerRevision[] {
  const limit = owner.spec?.revisionHistoryLimit ?? revisionHistoryLimitDefault;
  const historic = revisions.filter((revision) => !isLive(revision));
  // A negative limit retains all revisions, as in upstream's truncateHistory.
  return limit < 0 || historic.length <= limit ? [] : historic.slice(0, historic.length - limit);
}

const revisionHistoryLimitDefault = 10;
