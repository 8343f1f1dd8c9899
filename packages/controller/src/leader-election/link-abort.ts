import { onAbort } from "@kintsugi/clock";

/**
 * Aborts `target` when `source` aborts, or if it has aborted already. Returns a function that
 * removes the link.
 */
export function linkAbort(source: AbortSignal | undefined, target: AbortController): () => void {
  if (!source) return () => {};
  if (!source.aborted) return onAbort(source, () => target.abort(source.reason));
  target.abort(source.reason);
  return () => {};
}
