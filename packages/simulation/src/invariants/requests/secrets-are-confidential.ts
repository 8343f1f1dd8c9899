import type { Secret } from "@kintsugi/api";
import { parseValue } from "../../committed-values.ts";
import type { Check, Invariant } from "../invariant.ts";

/** A shorter value could occur anywhere by chance. */
const tellingLength = 16;
/** Maximum number of Secrets; later Secrets are not checked. */
const secretsMax = 200;

/**
 * The values of a Secret occur only in the Secret. The check assumes that encryption at rest is
 * off.
 */
export function secretsAreConfidential(): Invariant {
  /** The texts that would reveal a Secret, by store key: its values in JSON, and decoded. */
  const tellTalesByKey = new Map<string, readonly Buffer[]>();

  return {
    name: "secrets-are-confidential",
    never: "a Secret's value in another object, on the bus, or in a log",
    change({ resource, type, entry }, check) {
      if (resource === "core/secrets") {
        if (type === "put" && tellTalesByKey.size < secretsMax) tellTalesByKey.set(entry.key, tellTalesOf(entry.value));
        return;
      }
      if (type === "put") look(entry.value, entry.key, check);
    },
    said(where, bytes, check) {
      if (tellTalesByKey.size > 0) look(bytes(), where === "bus" ? "a message on the bus" : "a line of a log", check);
    },
  };

  function look(bytes: Uint8Array, where: string, check: Check): void {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (const [key, tellTales] of tellTalesByKey)
      check(tellTales.some((each) => text.includes(each)) ? `the value of ${key} is in ${where}` : undefined);
  }
}

function tellTalesOf(value: Uint8Array): Buffer[] {
  const { data = {} } = parseValue<Secret>(value);
  return Object.values(data)
    .filter((encoded) => encoded.length >= tellingLength)
    .flatMap((encoded) => [Buffer.from(encoded), Buffer.from(encoded, "base64")]);
}
