import type { Texts } from "./messages.ts";

/** Returns the `data` of a Secret, which is base64, in the form that drivers receive. */
export function secretTexts(data: Readonly<Record<string, string>> = {}): Texts {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString("utf8")]),
  );
}
