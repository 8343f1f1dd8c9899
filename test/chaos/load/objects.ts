import type { ConfigMap } from "@kintsugi/api";
import type { Value } from "@kintsugi/simulation";

/** Where the load's objects lie, and under which keys the store has them. */
export const loadNamespace = "chaos";
export const loadPrefix = `core/configmaps/${loadNamespace}/`;

/** A label that writers change as they like, so that objects come into and leave what a selector selects. */
export type Parity = "even" | "odd";

export function keyOf(name: string): string {
  return `${loadPrefix}${name}`;
}

/** An object as the journal knows it: the fields that the load writes. */
export function valueOf({ data, metadata }: Pick<ConfigMap, "data" | "metadata">): Value {
  return Object.fromEntries([
    ...Object.entries(data ?? {}).map(([field, text]) => [`data.${field}`, text]),
    ...Object.entries(metadata.labels ?? {}).map(([field, text]) => [`labels.${field}`, text]),
  ]);
}

/** An object as it was answered, listed or watched. */
export function seenIn(object: ConfigMap) {
  const { name = "", resourceVersion } = object.metadata;
  return { key: keyOf(name), revision: Number(resourceVersion), value: valueOf(object) };
}
