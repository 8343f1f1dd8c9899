import { baselineChecks } from "./baseline-checks.ts";
import type { PodRule, PodCheck, PodLike, PodViolation } from "./pod-check.ts";
import type { LevelVersion } from "./pod-security-policy.ts";
import { restrictedChecks } from "./restricted-checks.ts";

/** All rules of a level that a pod violates, in upstream's order. */
export function violationsOf(pod: PodLike, level: LevelVersion): readonly PodViolation[] {
  return checksOf(level).flatMap((check) => check(pod) ?? []);
}

/** Writes violations as a rejection shows them. */
export function detailOf(violations: readonly PodViolation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");
}

/** Versions newer than this are equal to it, because no rule has changed since. */
const newestMinor = 35;
const made = new Map<string, readonly PodRule[]>();

/**
 * The rules of a level in a version; the cache has at most 108 entries, for three levels in 36
 * versions.
 */
function checksOf({ level, minor }: LevelVersion): readonly PodRule[] {
  const known = Math.min(minor, newestMinor);
  const key = `${level} ${known}`;
  let checks = made.get(key);
  if (checks === undefined) {
    checks = level === "privileged" ? [] : level === "baseline" ? baseline(known) : restricted(known);
    made.set(key, checks);
  }
  return checks;
}

function baseline(minor: number, overridden: ReadonlySet<string> = new Set()): PodRule[] {
  return baselineChecks.filter(({ id }) => !overridden.has(id)).flatMap((each) => versionOf(each, minor) ?? []);
}

function restricted(minor: number): PodRule[] {
  const own = restrictedChecks.filter((each) => versionOf(each, minor) !== undefined);
  const overridden = new Set(own.flatMap(({ overrides }) => overrides ?? []));
  return [...baseline(minor, overridden), ...own.flatMap((each) => versionOf(each, minor) ?? [])];
}

function versionOf({ versions }: PodCheck, minor: number): PodRule | undefined {
  return versions.findLast(({ sinceMinor }) => sinceMinor <= minor)?.check;
}
