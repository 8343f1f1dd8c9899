import type { Container, PodSpec } from "@kintsugi/api";

/** A pod or a pod template. */
export interface PodLike {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
  readonly spec: PodSpec;
}

/** The part of the Standards that one rule covers; ids decide the order in a rejection. */
export interface PodCheck {
  readonly id: string;
  /**
   * The forms of the rule, each with the minor version in which it became part of the Standards. A
   * later row replaces the earlier rows.
   */
  readonly versions: readonly { readonly sinceMinor: number; readonly check: PodRule }[];
  /** The id of the lower level's rule that this rule includes. */
  readonly overrides?: string;
}

export type PodRule = (pod: PodLike) => PodViolation | undefined;

/** Upstream's words: a rejection reads `reason (detail)`. */
export interface PodViolation {
  readonly reason: string;
  readonly detail: string;
}

/**
 * A pod in its own user namespace does not have the rights of the host's root. The rule is relaxed
 * for such a pod since 1.35.
 */
export const unlessUserNamespace =
  (check: PodRule): PodRule =>
  (pod) =>
    pod.spec.hostUsers === false ? undefined : check(pod);

/** Containers of all three kinds, in upstream's order. */
export function allContainers({ initContainers = [], containers, ephemeralContainers = [] }: PodSpec): Container[] {
  return [...initContainers, ...containers, ...(ephemeralContainers as Container[])];
}

export function plural(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}

export function quoteAll(texts: Iterable<string>): string {
  return [...texts].map((text) => JSON.stringify(text)).join(", ");
}

export function sortedSet(texts: Iterable<string>): string[] {
  return [...new Set(texts)].toSorted((a, b) => (a < b ? -1 : 1));
}

/** Names the containers for which a predicate is true. */
export function namesOf(spec: PodSpec, isBad: (container: Container) => boolean): string[] {
  return allContainers(spec)
    .filter((container) => isBad(container))
    .map(({ name }) => name);
}

/** Writes `container "a"` or `containers "a", "b"`. */
export function containersText(names: readonly string[]): string {
  return `${plural(names.length, "container", "containers")} ${quoteAll(names)}`;
}

/**
 * Names the pod and the containers that set a value: `pod and containers "a", "b"`; undefined where
 * the value is not set.
 */
export function settersText(isPod: boolean, names: readonly string[]): string | undefined {
  const setters = [...(isPod ? ["pod"] : []), ...(names.length > 0 ? [containersText(names)] : [])];
  return setters.length === 0 ? undefined : setters.join(" and ");
}
