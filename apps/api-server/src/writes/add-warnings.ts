import type { ResourceCall } from "../request/resource-call.ts";

/** Adds warnings to the answer; a write that is tried again has the same ones again. */
export function addWarnings({ warnings }: Pick<ResourceCall, "warnings">, more: readonly string[] = []): void {
  for (const text of more) if (!warnings.includes(text)) warnings.push(text);
}
