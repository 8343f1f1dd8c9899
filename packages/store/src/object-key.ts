import { strict as assert } from "node:assert";

// Each write calls this code twice, so the message of an assertion is formatted only when the
// assertion fails.

/** The resource of an object key: its first two parts. `core/pods/default/web-0` → `core/pods`. */
export function resourceOfKey(key: string): string {
  const end = endOfResource(key);
  if (end <= 0) assert.fail(`key ${JSON.stringify(key)} has no resource`);
  return key.slice(0, end);
}

/** The resource that contains `prefix`; undefined when the prefix spans several resources. */
export function resourceOfPrefix(prefix: string): string | undefined {
  const end = endOfResource(prefix);
  return end > 0 ? prefix.slice(0, end) : undefined;
}

/** @throws AssertionError unless `key` is `<group or core>/<resource>/<namespace or _>/<name>`. */
export function assertObjectKey(key: string): void {
  if (!objectKey.test(key)) assert.fail(`${JSON.stringify(key)} is not an object key`);
  // A record keeps the length of its key in 16 bits.
  if (key.length > keyLengthMax) {
    assert.fail(`the key ${key.slice(0, 100)}… has more than ${keyLengthMax} characters`);
  }
}

const objectKey = /^[^/]+\/[^/]+\/[^/]+\/[^/]+$/;

/**
 * Group, namespace, resource and name have up to 253 characters each, with room. At 3 bytes a
 * character the key still fits 16 bits.
 */
const keyLengthMax = 2048;

/**
 * The first string after all strings that start with `prefix`; undefined if this string does not
 * exist.
 */
export function endOfPrefix(prefix: string): string | undefined {
  for (let length = prefix.length; length > 0; length--) {
    const last = prefix.charCodeAt(length - 1);
    if (last < 0xffff) return prefix.slice(0, length - 1) + String.fromCharCode(last + 1);
  }
  return undefined;
}

function endOfResource(text: string): number {
  const afterGroup = text.indexOf("/");
  return afterGroup <= 0 ? -1 : text.indexOf("/", afterGroup + 1);
}
