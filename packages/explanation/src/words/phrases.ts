import type { ApiObject } from "@kintsugi/api";
import type { ExplainedObject } from "../explanation.ts";

/** Number of names in a list; further names are counted, so that a sentence is readable. */
const namedMax = 4;
/** Longer texts of other programs are cut, because a probe may print anything. */
const quotedMax = 300;

export function aboutObject(kind: string, { metadata }: ApiObject): ExplainedObject {
  return { kind, namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}

/** "a", "a and b", "a, b, c and 4 more". */
export function listed(names: readonly string[]): string {
  const shown = names.length > namedMax ? names.slice(0, namedMax - 1) : names;
  const rest = names.length - shown.length;
  const parts = rest > 0 ? [...shown, `${rest} more`] : [...shown];
  const last = parts.pop() ?? "";
  return parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
}

/**
 * The text of another program as one line. Such texts may contain anything, including escape
 * sequences that move a terminal's cursor.
 */
export function singleLine(text: string | undefined): string {
  const line = (text ?? "")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(/ +/g, " ")
    .trim();
  return line.length <= quotedMax ? line : `${line.slice(0, quotedMax - 2)} …`;
}

/** The string as the end of a sentence: ": <text>", or an empty string. */
export function withText(text: string | undefined): string {
  const line = singleLine(text).replace(/[.:]+$/, "");
  return line === "" ? "" : `: ${line}`;
}

/** The text as one sentence with a full stop. */
export function sentence(text: string): string {
  const line = singleLine(text);
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
