import {
  findCondition,
  type Lease,
  leases,
  type Node,
  nodes,
  parseTimestamp,
  type Pod,
  pods,
  profiles,
  nodeLeaseNamespace,
} from "@kintsugi/api";
import { parseDurationMs } from "@kintsugi/api";
import { objectsOf, type ClusterPicture } from "../picture/picture.ts";

/** The silence after which a node is considered lost, as observed in the cluster. */
export interface ShownGrace {
  readonly ms: number;
  /** The object from which the grace period was derived. */
  readonly because: string;
}

/** The grace period of older versions of Kubernetes is 10 s shorter. */
const shorterGrace = { ms: 40_000, untilMinor: 31 };
/** The node controller checks each node every five seconds. */
const lookMs = 5_000;
/** A different time indicates a node that was stopped deliberately, or a wrong clock. */
const plausible = { fromMs: 10_000, toMs: 30 * 60_000 };

/**
 * Finds the grace period of a cluster: in the flags of its controller-manager, or in the last
 * renewal of the Lease of a node before its Ready condition became Unknown.
 */
export function shownGrace(picture: ClusterPicture): ShownGrace | undefined {
  return graceOfFlags(picture) ?? graceOfLeases(picture);
}

/**
 * Returns the grace period of a version of Kubernetes, for a cluster that does not show its own
 * grace period.
 */
export function defaultGraceMs(minor: number | undefined): number {
  const isShorter = minor !== undefined && minor <= shorterGrace.untilMinor;
  return isShorter ? shorterGrace.ms : profiles.kubernetes.nodeMonitorGracePeriodMs;
}

function graceOfFlags(picture: ClusterPicture): ShownGrace | undefined {
  for (const { metadata, spec } of objectsOf<Pod>(picture, pods)) {
    if (metadata.namespace !== "kube-system" || metadata.labels?.["component"] !== "kube-controller-manager") continue;
    const words = (spec?.containers ?? []).flatMap(({ command = [], args = [] }) => [...command, ...args]);
    const value = words.flatMap((word) => /^--node-monitor-grace-period=(.+)$/.exec(word)?.[1] ?? [])[0];
    const ms = value === undefined ? Number.NaN : durationIn(value);
    if (isPlausible(ms)) return { ms, because: `as set by a flag of ${metadata.name}` };
  }
  return undefined;
}

function graceOfLeases(picture: ClusterPicture): ShownGrace | undefined {
  const renewed = new Map(
    objectsOf<Lease>(picture, leases).flatMap(({ metadata, spec }): [string, number][] =>
      metadata.namespace === nodeLeaseNamespace ? [[metadata.name ?? "", instantOf(spec?.renewTime)]] : [],
    ),
  );
  const shown = objectsOf<Node>(picture, nodes).flatMap(({ metadata, status }) => {
    const ready = findCondition(status?.conditions, "Ready");
    const silentMs = instantOf(ready?.lastTransitionTime) - (renewed.get(metadata.name ?? "") ?? Number.NaN);
    const isSilent = ready?.status === "Unknown" && isPlausible(silentMs);
    return isSilent ? [{ name: metadata.name ?? "", silentMs }] : [];
  });
  const [least] = shown.toSorted((a, b) => a.silentMs - b.silentMs);
  if (least === undefined) return undefined;
  // The check that detected the silence ran up to one interval later.
  const ms = Math.floor(least.silentMs / lookMs) * lookMs;
  return { ms, because: `as shown by the last renewal of the Lease of ${least.name} and its Ready condition` };
}

function isPlausible(ms: number): boolean {
  return ms >= plausible.fromMs && ms <= plausible.toMs;
}

function durationIn(text: string): number {
  try {
    return parseDurationMs(text);
  } catch {
    return Number.NaN;
  }
}

function instantOf(text: string | null | undefined): number {
  return text === undefined || text === null ? Number.NaN : parseTimestamp(text);
}
