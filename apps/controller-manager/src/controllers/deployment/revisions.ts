import { type Deployment, rebalanceRecordAnnotation, type ReplicaSet } from "@kintsugi/api";

// A Deployment's annotations on its sets. kubectl (rollout history, undo) and the controller read
// them. The names and rules are upstream's (pkg/controller/deployment/util/deployment_util.go).

const prefix = "deployment.kubernetes.io";
export const revisionAnnotation = `${prefix}/revision`;
/** Revisions that a set had before a rollback to the set, separated by commas. */
export const revisionHistoryAnnotation = `${prefix}/revision-history`;
/**
 * The Deployment's size when it last scaled the set. A different size now means that the Deployment
 * was scaled in the meantime.
 */
export const desiredReplicasAnnotation = `${prefix}/desired-replicas`;
/**
 * The desired size plus the surge, from which the set's proportion is computed when the Deployment
 * is scaled.
 */
export const maxReplicasAnnotation = `${prefix}/max-replicas`;

/** The oldest revisions of a set's history are dropped beyond this length. */
const revisionHistoryLengthMax = 2000;

const notCopied = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "deprecated.deployment.rollback.to",
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  // `kubectl rollout undo` copies this annotation from a set to the Deployment, but it describes
  // that set alone.
  rebalanceRecordAnnotation,
]);

const revisionMax = 2n ** 63n - 1n;

/** A whole number of 64 bits, as Go's ParseInt reads it; undefined for every other text. */
function parseRevision(text: string): bigint | undefined {
  // A longer text cannot be a number of 64 bits without leading zeros, and BigInt is slow for a
  // long text.
  if (!/^[+-]?\d{1,20}$/.test(text)) return undefined;
  const revision = BigInt(text.replace("+", ""));
  return revision >= -revisionMax - 1n && revision <= revisionMax ? revision : undefined;
}

/** 0 where the revision is missing or invalid. */
export function revisionOf({ metadata }: ReplicaSet): bigint {
  return parseRevision(metadata.annotations?.[revisionAnnotation] ?? "") ?? 0n;
}

/**
 * The revision after the highest revision of these sets. The largest number of 64 bits is followed
 * by itself, where upstream's becomes negative.
 */
export function nextRevision(sets: readonly ReplicaSet[]): bigint {
  const max = sets.map(revisionOf).reduce((most, revision) => (revision > most ? revision : most), 0n);
  return max < revisionMax ? max + 1n : max;
}

/** Orders by revision, oldest first; sets of the same revision by their age. */
export function compareRevisions(a: ReplicaSet, b: ReplicaSet): number {
  const [one, other] = [revisionOf(a), revisionOf(b)];
  if (one !== other) return one < other ? -1 : 1;
  const [created, otherCreated] = [a, b].map(({ metadata }) => metadata.creationTimestamp ?? "") as [string, string];
  return created < otherCreated ? -1 : created > otherCreated ? 1 : 0;
}

/**
 * Returns the annotations for the set of the present template, except its sizes. A revision never
 * decreases.
 */
export function newSetAnnotations(
  { metadata }: Deployment,
  set: ReplicaSet | undefined,
  next: bigint,
): Record<string, string> {
  const copied = Object.entries(metadata.annotations ?? {}).filter(([name]) => !notCopied.has(name));
  const annotations = Object.fromEntries(copied);
  const known = set?.metadata.annotations?.[revisionAnnotation];
  if (known !== undefined && known !== "") {
    const revision = parseRevision(known);
    // Text that is not a number is left unchanged for its author to correct, as in upstream's
    // SetNewReplicaSetAnnotations.
    if (revision === undefined || revision >= next) return { ...annotations, [revisionAnnotation]: known };
  }
  annotations[revisionAnnotation] = String(next);
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

/** A number from a set's annotation; undefined if the annotation is missing. */
export function notedNumber({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation];
  return text === undefined || !/^\d{1,10}$/.test(text) ? undefined : Number(text);
}
