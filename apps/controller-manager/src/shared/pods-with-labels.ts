import { type Pod, requiredValue, type Selector } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";

/**
 * Returns pods of the namespace, including all that have these labels; without labels, all pods of
 * the namespace. The work grows with the pods that share the rarest label, not with the pods of the
 * namespace.
 */
export function podsWithLabels(
  pods: Informer<Pod>,
  namespace: string,
  labels: Readonly<Record<string, string>> = {},
): readonly Pod[] {
  const [first, ...others] = Object.entries(labels).map(([key, value]) =>
    pods.byIndex("label", labelIndexValue(namespace, key, value)),
  );
  if (first === undefined) return pods.byIndex("namespace", namespace);
  return others.reduce((fewest, some) => (some.length < fewest.length ? some : fewest), first);
}

/**
 * Returns pods of the namespace, including all that the selector matches. A selector without a
 * label of one value costs a walk over the namespace.
 */
export function podsNear(pods: Informer<Pod>, namespace: string, selector: Selector): readonly Pod[] {
  if (selector.nothing === true) return [];
  const labels = selector.requirements.flatMap(({ key }) => {
    const value = requiredValue(selector, key);
    return value === undefined ? [] : [[key, value] as const];
  });
  return podsWithLabels(pods, namespace, Object.fromEntries(labels));
}

/** The value under which the index "label" finds the pods with a label. */
export function labelIndexValue(namespace: string, key: string, value: string): string {
  return `${namespace}/${key}=${value}`;
}
