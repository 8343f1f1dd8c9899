import type { HandlerRequest } from "@kintsugi/client";
import type { Interference } from "./test-cluster.ts";

/** The fates of the write around which a process is killed. */
export const crashVerdicts = ["hang", "never answer", "lose answer", "refuse"] as const;

export const isWriteRequest = ({ method }: HandlerRequest): boolean => method !== "GET";

/** Passes all requests but write number `k`, which meets with `verdict`; later writes hang. */
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
