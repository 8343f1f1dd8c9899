import { badRequest } from "@kintsugi/api";
import type { JsonObject, JsonValue } from "../json.ts";

/** Deeper than any kind nests; JSON.parse alone takes half a second for 3 MiB of brackets. */
const depthMax = 64;

/**
 * Parses a body that somebody sent. @throws ApiError BadRequest: not JSON, nested too deeply, or with a key that would reach
 * an object's prototype.
 */
export function parseJson(bytes: Uint8Array): JsonValue {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString("utf8");
  assertDepth(text);
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
  }
  if (suspicious.test(text)) assertPlainKeys(value);
  return value;
}

/** A key that reaches a prototype, as it is or written with escapes. */
const suspicious = /__proto__|constructor|\\u00/;

/** @throws ApiError BadRequest when any object in `value` has `__proto__`, or `constructor` with a `prototype`, as its own key. */
export function assertPlainKeys(value: JsonValue): void {
  if (value === null || typeof value !== "object") return;
  if (Array.isArray(value)) {
    for (const item of value) assertPlainKeys(item);
    return;
  }
  for (const key of Object.keys(value)) {
    const child = Object.getOwnPropertyDescriptor(value, key)?.value as JsonValue;
    if (key === "__proto__" || (key === "constructor" && isObject(child) && Object.hasOwn(child, "prototype"))) {
      throw badRequest(`the body has a key "${key}" that is not allowed`);
    }
    assertPlainKeys(child);
  }
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const backslash = 0x5c;

/**
 * Nothing nests deeper than it has brackets, and most bodies have so few that nobody need ask which of them are text.
 * @throws ApiError BadRequest
 */
export function assertDepth(text: string): void {
  if (countUpTo(text, "{", depthMax + 1) + countUpTo(text, "[", depthMax + 1) > depthMax) assertDepthOf(text);
}

function countUpTo(text: string, character: string, max: number): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0 && count < max; at = text.indexOf(character, at + 1)) count++;
  return count;
}

/** Counts brackets outside of strings, without building anything. */
function assertDepthOf(text: string): void {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) {
      i = endOfString(text, i);
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > depthMax) throw badRequest(`the body nests deeper than ${depthMax} levels`);
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
    }
  }
}

/** The index of the quote that closes the string opened at `start`; the text's end if none does. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes++;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

/** @throws ApiError BadRequest when a value (from YAML or protobuf) nests too deeply. */
export function assertValueDepth(value: JsonValue, depth = 0): void {
  if (depth > depthMax) throw badRequest(`the body nests deeper than ${depthMax} levels`);
  if (value === null || typeof value !== "object") return;
  for (const child of Array.isArray(value) ? value : Object.values(value)) assertValueDepth(child, depth + 1);
}

/** Paths of keys that occur twice in one object of valid JSON: `metadata.labels.app`. At most `limit` of them. */
export function findDuplicateKeys(text: string, limit = 10): string[] {
  const found: string[] = [];
  const stack: { keys: Set<string> | undefined; path: string; index: number }[] = [];
  let key = "";
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;
  let expectKey = false;
  for (let match = token.exec(text); match !== null && found.length < limit; match = token.exec(text)) {
    const top = stack.at(-1);
    const here =
      top === undefined ? "" : top.keys === undefined ? `${top.path}[${top.index}]` : joinPath(top.path, key);
    switch (match[0]) {
      case "{":
        stack.push({ keys: new Set(), path: here, index: 0 });
        expectKey = true;
        break;
      case "[":
        stack.push({ keys: undefined, path: here, index: 0 });
        expectKey = false;
        break;
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
      default:
        if (!expectKey || top?.keys === undefined) break;
        key = JSON.parse(match[0]) as string;
        if (top.keys.has(key)) found.push(joinPath(top.path, key));
        top.keys.add(key);
    }
  }
  return found;
}

function joinPath(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
