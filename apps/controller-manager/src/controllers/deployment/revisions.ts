import { type Deployment, rebalanceRecordAnnotation, type ReplicaSet } from "@kintsugi/api";

// A Deployment writes these on its sets; kubectl (rollout history, undo) and the controller read
// them. The names and rules are upstream's (pkg/controller/deployment/util/deployment_util.go).

const prefix = "deployment.kubernetes.io";
export const revisionAnnotation = `${prefix}/revision`;
/** Revisions that a set had before it was rolled back to, separated by commas. */
export const revisionHistoryAnnotation = `${prefix}/revision-history`;
/**
 * The Deployment's size when it last scaled the set: another size now means that it was scaled in
 * the meantime.
 */
export const desiredReplicasAnnotation = `${prefix}/desired-replicas`;
/** The same size with the surge, from which the set's share of a scaling is computed. */
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
  // `kubectl rollout undo` copies it from a set to the Deployment; it is about that set alone.
  rebalanceRecordAnnotation,
]);

const revisionMax = 2n ** 63n - 1n;

/** A whole number of 64 bits, as Go's ParseInt reads it; undefined for every other text. */
function parseRevision(text: string): bigint | undefined {
  // A longer one cannot be of 64 bits without zeros before it, and BigInt takes long for a long
  // text.
  if (!/^[+-]?\d{1,20}$/.test(text)) return undefined;
  const revision = BigInt(text.replace("+", ""));
  return revision >= -revisionMax - 1n && revision <= revisionMax ? revision : undefined;
}

/** 0 where there is none, or none that can be read. */
export function revisionOf({ metadata }: ReplicaSet): bigint {
  return parseRevision(metadata.annotations?.[revisionAnnotation] ?? "") ?? 0n;
}

/**
 * The revision after those of all these sets. The last of 64 bits is followed by itself, where
 * upstream's turns negative.
 */
export function nextRevision(sets: readonly ReplicaSet[]): bigint {
  const max = sets.map(revisionOf).reduce((most, revision) => (revision > most ? revision : most), 0n);
  return max < revisionMax ? max + 1n : max;
}

/** Oldest revision first; sets of the same one by their age. */
export function compareRevisions(a: ReplicaSet, b: ReplicaSet): number {
  const [one, other] = [revisionOf(a), revisionOf(b)];
  if (one !== other) return one < other ? -1 : 1;
  const [created, otherCreated] = [a, b].map(({ metadata }) => metadata.creationTimestamp ?? "") as [string, string];
  return created < otherCreated ? -1 : created > otherCreated ? 1 : 0;
}

/**
 * Returns the annotations for the set of the present template, besides its sizes. A revision never
 * goes down.
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
    // A text that is no number stays: its author is to correct it, as upstream has it.
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

/** A number that was noted on a set; undefined where there is none. */
export function notedNumber({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation];
  return text === undefined || !/^\d{1,10}$/.test(text) ? undefined : Number(text);
}
