import type { ResourceCall } from "../request/resource-call.ts";

/** Warnings beyond this number are omitted, because an answer has room for 4 KiB of warnings. */
const warningsMax = 128;

/** Adds warnings to the answer. A write that is retried has the same warnings again. */
export function addWarnings({ warnings }: Pick<ResourceCall, "warnings">, more: readonly string[] = []): void {
  for (const text of more) {
    if (warnings.length >= warningsMax) return;
    if (!warnings.includes(text)) warnings.push(text);
  }
}
