import type { Deployment, ReplicaSet } from "@kintsugi/api";

// What a Deployment writes on its sets, read by kubectl (rollout history, undo) and by itself. The names and rules are upstream's
// (pkg/controller/deployment/util/deployment_util.go).

const prefix = "deployment.kubernetes.io";
export const revisionAnnotation = `${prefix}/revision`;
/** Revisions that a set had before it was gone back to, separated by commas. */
export const revisionHistoryAnnotation = `${prefix}/revision-history`;
/** What the Deployment wanted when it last scaled the set: another number now means that somebody scaled it meanwhile. */
export const desiredReplicasAnnotation = `${prefix}/desired-replicas`;
/** The same with the surge: what the set's share of a scaling is reckoned from. */
export const maxReplicasAnnotation = `${prefix}/max-replicas`;

/** Beyond it the oldest revisions of a set's history are forgotten. */
const revisionHistoryLengthMax = 2000;

const notCopied = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "deprecated.deployment.rollback.to",
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
]);

export function revisionOf({ metadata }: ReplicaSet): number {
  return Number(metadata.annotations?.[revisionAnnotation] ?? 0) || 0;
}

export function maxRevision(sets: readonly ReplicaSet[]): number {
  return Math.max(0, ...sets.map(revisionOf));
}

/** What the set of the present template is to have of annotations, besides its sizes. A revision never goes down. */
export function newSetAnnotations(
  { metadata }: Deployment,
  set: ReplicaSet | undefined,
  nextRevision: number,
): Record<string, string> {
  const copied = Object.entries(metadata.annotations ?? {}).filter(([name]) => !notCopied.has(name));
  const annotations = Object.fromEntries(copied);
  const known = set?.metadata.annotations?.[revisionAnnotation];
  const revision = set === undefined ? 0 : revisionOf(set);
  if (revision >= nextRevision) return { ...annotations, [revisionAnnotation]: String(revision) };
  annotations[revisionAnnotation] = String(nextRevision);
  if (known !== undefined) annotations[revisionHistoryAnnotation] = historyWith(set, known);
  return annotations;
}

function historyWith(set: ReplicaSet | undefined, revision: string): string {
  const before = set?.metadata.annotations?.[revisionHistoryAnnotation] ?? "";
  const revisions = before === "" ? [revision] : [...before.split(","), revision];
  while (revisions.length > 1 && revisions.join(",").length > revisionHistoryLengthMax) revisions.shift();
  return revisions.join(",");
}

export function replicasAnnotations({ spec }: Deployment, maxSurge: number): Record<string, string> {
  const replicas = spec?.replicas ?? 1;
  return {
    [desiredReplicasAnnotation]: String(replicas),
    [maxReplicasAnnotation]: String(replicas + maxSurge),
  };
}

/** A number that was noted on a set; undefined where there is none. */
export function notedNumber({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation];
  return text === undefined || !/^\d{1,10}$/.test(text) ? undefined : Number(text);
}
