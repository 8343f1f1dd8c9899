import { onAbort } from "@kintsugi/clock";

/** Aborts `target` when `source` does, or if it has. Returns how to stop that. */
export function linkAbort(source: AbortSignal | undefined, target: AbortController): () => void {
  if (!source) return () => {};
  if (!source.aborted) return onAbort(source, () => target.abort(source.reason));
  target.abort(source.reason);
  return () => {};
}
