import type { ConfigMap } from "@kintsugi/api";
import type { CommittedChange } from "@kintsugi/store";
import type { Commit, FinalState, ListedItem, Precondition, Value } from "../history/history.ts";
import { parseValue } from "../committed-values.ts";

/**
 * The ConfigMaps of one namespace in the form of a history: by the store's keys, with the fields
 * that clients write.
 */
export class RecordedConfigMaps {
  readonly namespace: string;
  /** The prefix of the keys in the log. */
  readonly prefix: string;

  constructor(namespace: string) {
    this.namespace = namespace;
    this.prefix = `core/configmaps/${namespace}/`;
  }

  keyOf(name: string): string {
    return this.prefix + name;
  }

  addressOf(key: string): { namespace: string; name: string } {
    return { namespace: this.namespace, name: key.slice(this.prefix.length) };
  }

  /** Returns the body that sets this value. */
  bodyOf(key: string, value: Value, precondition: Precondition | undefined): ConfigMap {
    const { data, labels } = contentOf(value);
    return { data, metadata: { ...this.addressOf(key), labels, ...demandOf(precondition) } };
  }

  /** An object in a response, a list or a watch. */
  itemOf(object: ConfigMap): ListedItem {
    const { name = "", resourceVersion } = object.metadata;
    return { key: this.keyOf(name), revision: Number(resourceVersion), value: valueOf(object) };
  }

  /** Returns the final state of each key, if `there` are all remaining objects. */
  finalsOf(keys: Iterable<string>, there: readonly ConfigMap[]): FinalState[] {
    const items = new Map(there.map((object) => this.itemOf(object)).map((item) => [item.key, item]));
    return [...keys].map((key) => {
      const item = items.get(key);
      return { kind: "final", key, ...(item && { item }) };
    });
  }
}

/** A change of a ConfigMap in the log. */
export function commitOf({ type, revision, entry }: Pick<CommittedChange, "type" | "revision" | "entry">): Commit {
  const object = parseValue<ConfigMap>(entry.value);
  return { kind: "commit", revision, type, key: entry.key, value: valueOf(object), uid: entry.index.uid };
}

/** The fields that clients write, by their paths: `{ "data.v": "7", "labels.color": "red" }`. */
export function valueOf({ data = {}, metadata }: Pick<ConfigMap, "data" | "metadata">): Value {
  const value: Record<string, string> = {};
  for (const [field, text] of Object.entries(data)) value[`data.${field}`] = text;
  for (const [label, text] of Object.entries(metadata.labels ?? {})) value[`labels.${label}`] = text;
  return value;
}

/** An object, or a patch of an object, with these fields. */
export function contentOf(value: Value): { data: Record<string, string>; labels: Record<string, string> } {
  const content = { data: {} as Record<string, string>, labels: {} as Record<string, string> };
  for (const [path, text] of Object.entries(value)) {
    const [part, field = ""] = path.split(".");
    if (part === "data") content.data[field] = text;
    else content.labels[field] = text;
  }
  return content;
}

/** The precondition, in the same form for metadata and for delete options. */
export function demandOf({ revision, uid }: Precondition = {}): { resourceVersion?: string; uid?: string } {
  return {
    ...(revision === undefined ? {} : { resourceVersion: String(revision) }),
    ...(uid === undefined ? {} : { uid }),
  };
}

/** The selector in the API's form: "color=red". */
export function labelSelectorOf(selector: Value): string {
  return Object.entries(contentOf(selector).labels)
    .map(([label, text]) => `${label}=${text}`)
    .join(",");
}
