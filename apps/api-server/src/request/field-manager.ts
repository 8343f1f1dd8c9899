import type { ValidationIssue } from "@kintsugi/api";

/** Upstream's limit for a manager's name. */
export const fieldManagerBytesMax = 128;

/**
 * Returns upstream's errors about a manager's name: it is too long, or has unprintable characters.
 */
export function fieldManagerIssues(manager: string, field: string): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  if (Buffer.byteLength(manager) > fieldManagerBytesMax) {
    const message = `Too long: may not be more than ${fieldManagerBytesMax} bytes`;
    issues.push({ field, reason: "FieldValueTooLong", message });
  }
  if (printable.test(manager)) return issues;
  for (const { text, at } of charactersOf(manager)) {
    if (printable.test(text) || issues.length >= issuesMax) continue;
    const code = (text.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    const message = `Invalid value: ${JSON.stringify(manager)}: invalid character U+${code} (at position ${at})`;
    issues.push({ field, reason: "FieldValueInvalid", message });
  }
  return issues;
}

/** Limit of issues, because each quotes the whole text again. */
const issuesMax = 5;

/** The same characters as Go's unicode.IsPrint, in which the only space is U+0020. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;

/** Yields each character with its byte offset. */
function* charactersOf(text: string): Generator<{ text: string; at: number }> {
  let at = 0;
  for (const character of text) {
    yield { text: character, at };
    at += Buffer.byteLength(character);
  }
}
