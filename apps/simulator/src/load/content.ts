import type { ConfigMap } from "@kintsugi/api";
import type { Value } from "@kintsugi/simulation";

export const namespace = "load";
/** What the log calls the ConfigMaps of the load. */
export const prefix = `core/configmaps/${namespace}/`;

export function keyOf(name: string): string {
  return prefix + name;
}

export function nameOf(key: string): string {
  return key.slice(prefix.length);
}

/** The fields that the load writes, by their paths: `{ "data.v": "7", "labels.color": "red" }`. */
export function valueOf({ data = {}, metadata }: Pick<ConfigMap, "data" | "metadata">): Value {
  const value: Record<string, string> = {};
  for (const [field, text] of Object.entries(data)) value[`data.${field}`] = text;
  for (const [label, text] of Object.entries(metadata.labels ?? {})) value[`labels.${label}`] = text;
  return value;
}

/** An object, or the patch of one, with these fields. */
export function contentOf(value: Value): { data: Record<string, string>; labels: Record<string, string> } {
  const content = { data: {} as Record<string, string>, labels: {} as Record<string, string> };
  for (const [path, text] of Object.entries(value)) {
    const [part, field = ""] = path.split(".");
    if (part === "data") content.data[field] = text;
    else content.labels[field] = text;
  }
  return content;
}

/** "color=red", as the API wants it. */
export function labelSelectorOf(selector: Value): string {
  return Object.entries(contentOf(selector).labels)
    .map(([label, text]) => `${label}=${text}`)
    .join(",");
}
