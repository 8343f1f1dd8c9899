import { badRequest } from "@kintsugi/api";
import { isMap, isScalar, LineCounter, parseDocument, visit } from "yaml";
import type { JsonValue } from "../json.ts";
import { assertPlainKeys, assertValueDepth } from "./json-body.ts";

export interface ParsedYaml {
  value: JsonValue;
  /** What Go's decoder says of keys that a map has twice; of two the last counts. */
  duplicates: readonly string[];
}

/**
 * Upstream reads YAML 1.1, but never makes dates of strings; aliases can make a small body a huge object, so none.
 * @throws ApiError BadRequest, beginning with `refusal`.
 */
export function parseYaml(text: string, refusal: string): ParsedYaml {
  let parsed: ParsedYaml;
  try {
    const lines = new LineCounter();
    const document = parseDocument(text, {
      version: "1.1",
      customTags: (tags) => tags.filter((tag) => typeof tag === "string" || tag.tag !== "tag:yaml.org,2002:timestamp"),
      lineCounter: lines,
      // Found below, in one pass: the parser would compare each key of a map with all others.
      uniqueKeys: false,
    });
    const [error] = document.errors;
    if (error) throw error;
    parsed = { value: document.toJS({ maxAliasCount: 0 }) as JsonValue, duplicates: duplicatesIn(document, lines) };
  } catch (error) {
    throw badRequest(`${refusal}error converting YAML to JSON: yaml: ${(error as Error).message}`);
  }
  assertValueDepth(parsed.value);
  assertPlainKeys(parsed.value);
  return parsed;
}

/** As many as tell people what they did. */
const duplicatesMax = 10;

function duplicatesIn(document: ReturnType<typeof parseDocument>, lines: LineCounter): string[] {
  const found: string[] = [];
  visit(document, {
    Map: (_key, map) => {
      const seen = new Set<unknown>();
      for (const { key } of isMap(map) ? map.items : []) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value) && found.length < duplicatesMax) {
          const { line } = lines.linePos(key.range?.[0] ?? 0);
          found.push(`line ${line}: key ${JSON.stringify(key.value)} already set in map`);
        }
        seen.add(key.value);
      }
    },
  });
  return found;
}
