import { assertJsonBudget, badRequest, endOfString, jsonDepthMax, type JsonValue } from "@kintsugi/api";
import { isJsonObject } from "../json-value.ts";

/**
 * Parses a body from a client. @throws ApiError BadRequest for a body that is not JSON, is nested
 * too deeply, has too many values, or has a key that would reach an object's prototype.
 */
export function parseJson(bytes: Uint8Array, valuesMax?: number): JsonValue {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString("utf8");
  assertJsonBudget(text, { valuesMax });
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
  }
  if (suspicious.test(text)) assertPlainKeys(value);
  return value;
}

/** A key that reaches a prototype, plain or with escapes. */
const suspicious = /__proto__|constructor|\\u00/;

/**
 * @throws ApiError BadRequest when any object in `value` has `__proto__`, or `constructor` with a
 * `prototype`, as its own key.
 */
export function assertPlainKeys(value: JsonValue): void {
  if (value === null || typeof value !== "object") return;
  if (Array.isArray(value)) {
    for (const item of value) assertPlainKeys(item);
    return;
  }
  for (const key of Object.keys(value)) {
    const child = Object.getOwnPropertyDescriptor(value, key)?.value as JsonValue;
    if (key === "__proto__" || (key === "constructor" && isJsonObject(child) && Object.hasOwn(child, "prototype"))) {
      throw badRequest(`the body has a key "${key}" that is not allowed`);
    }
    assertPlainKeys(child);
  }
}

/** @throws ApiError BadRequest when a value (from YAML or protobuf) is nested too deeply. */
export function assertValueDepth(value: JsonValue, depth = 0): void {
  if (depth > jsonDepthMax) throw badRequest(`the body nests deeper than ${jsonDepthMax} levels`);
  if (value === null || typeof value !== "object") return;
  for (const child of Array.isArray(value) ? value : Object.values(value)) assertValueDepth(child, depth + 1);
}

interface Level {
  /** The keys of an object; a list has no keys. */
  keys: Set<string> | undefined;
  path: string;
  index: number;
}

/**
 * Paths of duplicate keys in objects of valid JSON: `metadata.labels.app`. At most `limit` paths.
 */
export function findDuplicateKeys(text: string, limit = 10): string[] {
  const found: string[] = [];
  const stack: Level[] = [];
  let key = "";
  let expectKey = false;
  for (let i = 0; i < text.length && found.length < limit; i++) {
    const top = stack.at(-1);
    switch (text[i]) {
      case "{":
      case "[": {
        const keys = text[i] === "{" ? new Set<string>() : undefined;
        stack.push({ keys, path: pathBelow(top, key), index: 0 });
        expectKey = keys !== undefined;
        break;
      }
      case "}":
      case "]":
        stack.pop();
        expectKey = false;
        break;
      case ",":
        if (top !== undefined && top.keys === undefined) top.index++;
        expectKey = top?.keys !== undefined;
        break;
      case ":":
        expectKey = false;
        break;
      case '"': {
        const start = i;
        i = endOfString(text, start);
        if (!expectKey || top?.keys === undefined) break;
        key = JSON.parse(text.slice(start, i + 1)) as string;
        if (top.keys.has(key)) found.push(joinPath(top.path, key));
        top.keys.add(key);
        break;
      }
      default:
    }
  }
  return found;
}

function pathBelow(top: Level | undefined, key: string): string {
  if (top === undefined) return "";
  return top.keys === undefined ? `${top.path}[${top.index}]` : joinPath(top.path, key);
}

function joinPath(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
