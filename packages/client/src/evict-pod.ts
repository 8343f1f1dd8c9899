import type { Pod } from "@kintsugi/api";
import type { Client } from "./client.ts";

/**
 * Evicts the pod, and no other pod of its name.
 * @throws ApiError TooManyRequests if a disruption budget does not allow it; Conflict or NotFound
 * if the pod no longer exists.
 */
export async function evictPod(
  client: Pick<Client, "call">,
  { metadata: { namespace = "", name = "", uid = "" } }: Pod,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<void> {
  const body = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { namespace, name },
    deleteOptions: { preconditions: { uid } },
  };
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/eviction`;
  await client.call({ method: "POST", path, body, signal, timeoutMs });
}
