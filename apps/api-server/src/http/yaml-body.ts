import { assertJsonBudget, badRequest, jsonDepthMax, type JsonValue, requestTooLarge } from "@kintsugi/api";
import { yamlTokens } from "@kintsugi/yaml-text";
import {
  Composer,
  type CST,
  type Document,
  type DocumentOptions,
  isMap,
  isScalar,
  LineCounter,
  type ParseOptions,
  type SchemaOptions,
  type Tags,
  visit,
} from "yaml";
import { bodyBytesMax, yamlLengthMax, yamlTokensMax } from "./bodies/body-limits.ts";
import { assertPlainKeys, assertValueDepth, findDuplicateKeys } from "./json-body.ts";

export interface YamlBody {
  value: JsonValue;
  /** The messages of Go's decoder about duplicate keys of a map. The last value applies. */
  duplicates: readonly string[];
}

/**
 * JSON is YAML, and is parsed in a hundredth of the time; `undefined` for a string that only a YAML
 * parser accepts.
 */
export function parseJsonAsYaml(text: string, valuesMax?: number): YamlBody | undefined {
  if (!text.startsWith("{")) return undefined;
  assertJsonBudget(text, { valuesMax });
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  if (findDuplicateKeys(text, 1).length > 0) return undefined;
  assertPlainKeys(value);
  return { value, duplicates: [] };
}

/**
 * Upstream reads YAML 1.1, but never converts strings to dates. Aliases are rejected because they
 * can expand a small body to a huge object.
 * @throws ApiError BadRequest, beginning with `refusal`; RequestEntityTooLarge.
 */
export function parseYamlBody(text: string, refusal: string): YamlBody {
  if (text.length > yamlLengthMax) {
    throw requestTooLarge(
      `Request entity too large: limit for YAML is ${yamlLengthMax}; JSON may have ${bodyBytesMax} bytes`,
    );
  }
  let parsed: YamlBody;
  try {
    const lines = new LineCounter();
    const document = compose(readTokens(text, lines), text, lines);
    const duplicates = checkKeys(document, lines);
    parsed = { value: document.toJS({ maxAliasCount: 0 }) as JsonValue, duplicates };
  } catch (error) {
    throw badRequest(`${refusal}error converting YAML to JSON: yaml: ${(error as Error).message}`);
  }
  assertValueDepth(parsed.value);
  assertPlainKeys(parsed.value);
  return parsed;
}

/** The tokens of the text, all of which are checked before a document is composed. */
function readTokens(text: string, lines: LineCounter): CST.Token[] {
  const errorOf = (limit: "depth" | "tokens") =>
    new Error(
      limit === "tokens"
        ? `more than ${yamlTokensMax} tokens; JSON may have more`
        : `nested deeper than ${jsonDepthMax} levels`,
    );
  return [...yamlTokens(text, { lines, depthMax: jsonDepthMax, tokensMax: yamlTokensMax, errorOf })];
}

const binaryTag = "tag:yaml.org,2002:binary";

/**
 * A tag without a counterpart in JSON is ignored. Binary values become the text that they
 * represent, as in Go.
 */
const unreadTags = new Set(["binary", "omap", "pairs", "set", "timestamp"].map((name) => `tag:yaml.org,2002:${name}`));

function plainTags(tags: Tags): Tags {
  return [
    ...tags.filter((tag) => typeof tag === "string" || !unreadTags.has(tag.tag)),
    { tag: binaryTag, resolve: (text: string) => Buffer.from(text, "base64").toString("utf8") },
  ];
}

const composeOptions: ParseOptions & DocumentOptions & SchemaOptions = {
  version: "1.1",
  customTags: plainTags,
  prettyErrors: false,
  // Duplicates are found below, in one pass, because the parser would compare each key of a map
  // with all other keys.
  uniqueKeys: false,
};

/** @throws Error with the first fault and its line. */
function compose(tokens: readonly CST.Token[], text: string, lines: LineCounter): Document {
  const composer = new Composer(composeOptions);
  // The library collects errors, up to one for each character of a string; the first error is
  // enough.
  Object.assign(composer, {
    onError: (...[source, , message, isWarning]: [ErrorSource, string, string, boolean?]) => {
      if (isWarning !== true) throw new Error(`line ${lines.linePos(offsetOf(source)).line}: ${message}`);
    },
  });
  const documents = composer.compose(tokens, true, text.length);
  const first = documents.next();
  if (first.done === true) throw new Error("no document");
  if (documents.next().done !== true) throw new Error("more than one document");
  const [error] = first.value.errors;
  if (error !== undefined) throw new Error(`line ${lines.linePos(error.pos[0]).line}: ${error.message}`);
  return first.value;
}

/** The forms in which the library's parts report the place of an error. */
type ErrorSource = number | readonly [number, number] | { offset: number };

function offsetOf(source: ErrorSource): number {
  if (typeof source === "number") return source;
  return "offset" in source ? source.offset : source[0];
}

/** Limit of messages, which is enough to find the mistake. */
const duplicatesMax = 10;

/**
 * @returns the duplicate keys of a map. @throws Error for a key that is not a scalar, because JSON
 * has no such keys and the key would be converted to text.
 */
function checkKeys(document: Document, lines: LineCounter): string[] {
  const found: string[] = [];
  visit(document, {
    Map: (_key, map) => {
      const seen = new Set<unknown>();
      for (const { key } of isMap(map) ? map.items : []) {
        if (key !== null && !isScalar(key)) throw new Error("a key of a map is a collection or an alias");
        const value = isScalar(key) ? key.value : key;
        if (seen.has(value) && found.length < duplicatesMax) {
          const { line } = lines.linePos((isScalar(key) ? key.range?.[0] : undefined) ?? 0);
          found.push(`line ${line}: key ${JSON.stringify(value)} already set in map`);
        }
        seen.add(value);
      }
    },
  });
  return found;
}
