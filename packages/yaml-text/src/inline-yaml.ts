import { stringify } from "yaml";

/** A value on one line, as people would write it after a key. */
export function inlineYaml(value: unknown): string {
  return stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trim();
}
