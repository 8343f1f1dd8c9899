import type { Container, PodSpec } from "@kintsugi/api";

/** A pod, or the template of one. */
export interface PodLike {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
  readonly spec: PodSpec;
}

/** The part of the Standards that one rule covers; ids decide the order of a refusal. */
export interface PodCheck {
  readonly id: string;
  /** The rule is part of the Standards since this minor version; each later row replaces it. */
  readonly versions: readonly { readonly sinceMinor: number; readonly check: PodRule }[];
  /** The id of a rule of the level below that this one takes in. */
  readonly overrides?: string;
}

export type PodRule = (pod: PodLike) => PodViolation | undefined;

/** Upstream's words: a refusal reads `reason (detail)`. */
export interface PodViolation {
  readonly reason: string;
  readonly detail: string;
}

/** A pod in a user namespace of its own has no rights of the host's root; so since 1.35. */
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

/** Names the containers of which a predicate is true. */
export function namesOf(spec: PodSpec, isBad: (container: Container) => boolean): string[] {
  return allContainers(spec)
    .filter((container) => isBad(container))
    .map(({ name }) => name);
}

/** Writes `container "a"` or `containers "a", "b"`. */
export function containersText(names: readonly string[]): string {
  return `${plural(names.length, "container", "containers")} ${quoteAll(names)}`;
}

/** Writes who set something: `pod and containers "a", "b"`; undefined where nothing did. */
export function settersText(isPod: boolean, names: readonly string[]): string | undefined {
  const setters = [...(isPod ? ["pod"] : []), ...(names.length > 0 ? [containersText(names)] : [])];
  return setters.length === 0 ? undefined : setters.join(" and ");
}
