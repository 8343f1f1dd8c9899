import type { ResourceCall } from "../request/resource-call.ts";

/** Warnings beyond this are left out: an answer has room for 4 KiB of them. */
const warningsMax = 128;

/** Adds warnings to the answer; a write that is tried again has the same ones again. */
export function addWarnings({ warnings }: Pick<ResourceCall, "warnings">, more: readonly string[] = []): void {
  for (const text of more) {
    if (warnings.length >= warningsMax) return;
    if (!warnings.includes(text)) warnings.push(text);
  }
}
