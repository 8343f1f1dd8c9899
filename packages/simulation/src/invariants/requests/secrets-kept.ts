import type { Secret } from "@kintsugi/api";
import { parseValue } from "../../reading.ts";
import type { Check, Invariant } from "../invariant.ts";

/** A shorter value could stand anywhere by chance. */
const tellingLength = 16;
/** Every Secret of a life is few; of those that come after, nobody is asked. */
const secretsMax = 200;

/**
 * S27, as far as there is no encryption at rest: what a Secret holds is in the Secret, and nowhere
 * else.
 */
export function secretsKept(): Invariant {
  /** By store key, what would give it away: as it stands in JSON, and as whoever uses it has it. */
  const tellTalesByKey = new Map<string, readonly Buffer[]>();

  return {
    name: "S27",
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
      check(tellTales.some((each) => text.includes(each)) ? `what ${key} holds stands in ${where}` : undefined);
  }
}

function tellTalesOf(value: Uint8Array): Buffer[] {
  const { data = {} } = parseValue<Secret>(value);
  return Object.values(data)
    .filter((encoded) => encoded.length >= tellingLength)
    .flatMap((encoded) => [Buffer.from(encoded), Buffer.from(encoded, "base64")]);
}
