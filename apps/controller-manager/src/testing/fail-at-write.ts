import type { HandlerRequest } from "@kintsugi/client";
import type { Interference } from "./test-cluster.ts";

/** The outcomes of the write at which a process is killed. */
export const crashVerdicts = ["hang", "never answer", "lose answer", "refuse"] as const;

export const isWriteRequest = ({ method }: HandlerRequest): boolean => method !== "GET";

/** Passes all requests except write number `k`, which gets `verdict`; later writes hang. */
export function failAtWrite(
  k: number,
  verdict: ReturnType<Interference>,
): { interfere: Interference; reached: () => boolean } {
  let writes = 0;
  return {
    interfere: (request) => {
      if (!isWriteRequest(request)) return "pass";
      writes++;
      return writes < k ? "pass" : writes === k ? verdict : "hang";
    },
    reached: () => writes >= k,
  };
}
