import { ApiError, type JsonObject, type JsonValue } from "@kintsugi/api";
import { parseArrayIndex, parsePointer } from "./json-pointer.ts";
import { assertSafeJson, cloneJson, equalJson, isJsonObject, isPrototypeMember, ownMember } from "../json-value.ts";

/** Upstream's limit on the length of a JSON patch (apiserver handlers/patch.go). */
export const jsonPatchOperationsMax = 10_000;

/** Upstream's limit on the bytes of JSON that the `copy` operations of one patch may add. */
export const jsonPatchCopyBytesMax = 3 * 1024 * 1024;

type Operation =
  | { op: "add" | "replace" | "test"; path: Path; value: JsonValue }
  | { op: "remove"; path: Path }
  | { op: "move" | "copy"; from: Path; path: Path };

interface Path {
  readonly text: string;
  readonly tokens: readonly string[];
}

/**
 * A location in a document: an object's member or an array's item. The document is the member
 * "document" of `root`.
 */
interface Place {
  readonly container: JsonObject | JsonValue[];
  readonly token: string;
}

/** The bytes that the `copy` operations of the patch have added so far. */
interface Copied {
  bytes: number;
}

/**
 * JSON patch (RFC 6902). Works on a copy: either every operation applies or the document is
 * unchanged. A malformed patch is a BadRequest; a patch that does not fit the document is Invalid
 * (422).
 */
export function applyJsonPatch(document: JsonObject, patch: unknown): JsonObject {
  assertSafeJson(patch);
  const operations = parseOperations(patch);
  const root: JsonObject = { document: cloneJson(document) };
  const copied: Copied = { bytes: 0 };
  for (const operation of operations) {
    applyOperation(root, operation, copied);
  }
  const result = root["document"];
  if (!isJsonObject(result)) {
    throw doesNotFit("the patched document is not an object");
  }
  // A patch that adds level after level could nest deeper than any single value in it.
  assertSafeJson(result);
  return result;
}

function parseOperations(patch: JsonValue): Operation[] {
  if (!Array.isArray(patch)) {
    throw new ApiError("BadRequest", "Invalid JSON Patch: a list of operations is expected");
  }
  if (patch.length > jsonPatchOperationsMax) {
    throw new ApiError(
      "RequestEntityTooLarge",
      `Request entity too large: The allowed maximum operations in a JSON patch is ${jsonPatchOperationsMax}, got ${patch.length}`,
    );
  }
  return patch.map(parseOperation);
}

function parseOperation(operation: JsonValue): Operation {
  if (!isJsonObject(operation)) {
    throw new ApiError("BadRequest", "Invalid JSON Patch: an operation is not an object");
  }
  const op = ownMember(operation, "op");
  switch (op) {
    case "add":
    case "replace":
    case "test": {
      const value = ownMember(operation, "value");
      if (value === undefined) {
        throw new ApiError("BadRequest", `Invalid JSON Patch: "${op}" needs a value`);
      }
      return { op, path: parsePath(operation, "path"), value };
    }
    case "remove":
      return { op, path: parsePath(operation, "path") };
    case "move":
    case "copy":
      return { op, from: parsePath(operation, "from"), path: parsePath(operation, "path") };
    default:
      throw doesNotFit(`Unexpected kind: ${typeof op === "string" ? op : "unknown"}`);
  }
}

function parsePath(operation: JsonObject, member: "path" | "from"): Path {
  const text = ownMember(operation, member);
  const tokens = typeof text === "string" ? parsePointer(text) : undefined;
  if (typeof text !== "string" || tokens === undefined) {
    throw new ApiError("BadRequest", `Invalid JSON Patch: "${member}" is not a JSON pointer`);
  }
  if (tokens.some(isPrototypeMember)) {
    throw new ApiError("BadRequest", `Invalid JSON Patch: forbidden member name in "${member}"`);
  }
  return { text, tokens };
}

function applyOperation(root: JsonObject, operation: Operation, copied: Copied): void {
  const { path } = operation;
  switch (operation.op) {
    case "add":
      return add(find(root, path, "add"), operation.value, path);
    case "remove":
      return remove(find(root, path, "remove"), path);
    case "replace":
      return replace(find(root, path, "replace"), operation.value, path);
    case "test":
      return test(root, operation.value, path);
    case "move":
      return move(root, operation);
    case "copy":
      return copy(root, operation, copied);
  }
}

function move(root: JsonObject, { from, path }: { from: Path; path: Path }): void {
  if (path.text.startsWith(`${from.text}/`)) {
    throw doesNotFit(`error in move for path: '${from.text}': a value cannot be moved into itself`);
  }
  const place = find(root, from, "move");
  const value = read(place);
  if (value === undefined) {
    throw doesNotFit(`error in move for path: '${from.text}': missing value`);
  }
  remove(place, from);
  insert(find(root, path, "move"), value, path);
}

function copy(root: JsonObject, { from, path }: { from: Path; path: Path }, copied: Copied): void {
  const value = read(find(root, from, "copy"));
  if (value === undefined) {
    throw doesNotFit(`error in copy for path: '${from.text}': missing value`);
  }
  // Earlier operations may have nested the value deeper than it can be walked.
  assertSafeJson(value);
  copied.bytes += Buffer.byteLength(JSON.stringify(value));
  if (copied.bytes > jsonPatchCopyBytesMax) {
    throw doesNotFit(
      `Unable to complete the copy, the accumulated size increase of copy is ${copied.bytes}, exceeding the limit ${jsonPatchCopyBytesMax}`,
    );
  }
  add(find(root, path, "copy"), value, path);
}

function find(root: JsonObject, path: Path, op: string): Place {
  let container: JsonObject | JsonValue[] = root;
  let token = "document";
  for (const next of path.tokens) {
    const value = read({ container, token });
    if (typeof value !== "object" || value === null) {
      throw doesNotFit(`${op} operation does not apply: doc is missing path: "${path.text}": missing value`);
    }
    container = value;
    token = next;
  }
  return { container, token };
}

function read({ container, token }: Place): JsonValue | undefined {
  if (!Array.isArray(container)) {
    return ownMember(container, token);
  }
  const index = parseArrayIndex(token, container.length);
  return index === undefined ? undefined : container[index];
}

function add(place: Place, value: JsonValue, path: Path): void {
  insert(place, cloneJson(value), path);
}

function insert({ container, token }: Place, content: JsonValue, path: Path): void {
  if (!Array.isArray(container)) {
    container[token] = content;
    return;
  }
  // One more position than items, because "-" also refers to the position after the last item.
  const index = token === "-" ? container.length : parseArrayIndex(token, container.length + 1);
  if (index === undefined) {
    throw doesNotFit(
      `error in add for path: '${path.text}': Unable to access invalid index: ${token}: invalid index referenced`,
    );
  }
  container.splice(index, 0, content);
}

function remove({ container, token }: Place, path: Path): void {
  if (!Array.isArray(container)) {
    if (!Object.hasOwn(container, token)) {
      throw doesNotFit(
        `error in remove for path: '${path.text}': Unable to remove nonexistent key: ${token}: missing value`,
      );
    }
    delete container[token];
    return;
  }
  const index = parseArrayIndex(token, container.length);
  if (index === undefined) {
    throw doesNotFit(
      `error in remove for path: '${path.text}': Unable to access invalid index: ${token}: invalid index referenced`,
    );
  }
  container.splice(index, 1);
}

function replace(place: Place, value: JsonValue, path: Path): void {
  if (read(place) === undefined) {
    throw doesNotFit(`replace operation does not apply: doc is missing key: ${path.text}: missing value`);
  }
  const { container, token } = place;
  if (Array.isArray(container)) {
    container[parseArrayIndex(token, container.length) ?? 0] = cloneJson(value);
  } else {
    container[token] = cloneJson(value);
  }
}

/** A missing value equals null, as in upstream's library. */
function test(root: JsonObject, value: JsonValue, path: Path): void {
  const actual = read(find(root, path, "test")) ?? null;
  if (!equalJson(actual, value)) {
    throw doesNotFit(`testing value ${path.text} failed: test failed`);
  }
}

/**
 * Upstream's 422 has only this sentence. The cause shows kubectl's user the part that did not fit.
 * kubectl prints the field of a cause before its message.
 */
function doesNotFit(because: string): ApiError {
  return new ApiError("Invalid", "the server rejected our request due to an error in our request", {
    details: { causes: [{ reason: "UnexpectedServerResponse", message: because, field: "patch" }] },
  });
}
