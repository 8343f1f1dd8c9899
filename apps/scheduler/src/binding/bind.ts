import { type ApiObject, isApiError, pods } from "@kintsugi/api";
import { ConnectionError, type ObjectWriter } from "@kintsugi/client";
import type { PodInfo } from "@kintsugi/scheduling";

/** The outcome of a request to the API to bind a pod. */
export type BindOutcome =
  | { is: "bound" }
  /**
   * The pod was already bound, the pod no longer exists, or the answer was lost (then the binding
   * `mayBeOurs`). Only a read of the pod distinguishes these cases.
   */
  | { is: "unclear"; error: Error; mayBeOurs: boolean }
  /** The pod was not bound, and this request will not bind it. */
  | { is: "failed"; error: Error };

/**
 * Time limit of a binding. A longer binding has to be investigated anyway, and a process that stops
 * does not wait for it.
 */
const bindTimeoutMs = 10_000;

/**
 * Binds the pod to the node, which is the scheduler's only write that places a pod. The UID
 * protects another pod of the same name.
 */
export async function bind(client: Pick<ObjectWriter, "create">, pod: PodInfo, nodeName: string): Promise<BindOutcome> {
  const { namespace, name, uid } = pod.pod.metadata;
  const binding = {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { namespace, name, uid },
    target: { apiVersion: "v1", kind: "Node", name: nodeName },
  };
  try {
    await client.create<ApiObject>(pods, binding, { subresource: "binding", timeoutMs: bindTimeoutMs });
    return { is: "bound" };
  } catch (error) {
    return bindOutcome(error);
  }
}

export function bindOutcome(error: unknown): BindOutcome {
  if (!(error instanceof Error)) throw error;
  if (isApiError(error, "Conflict", "AlreadyExists", "NotFound")) return { is: "unclear", error, mayBeOurs: false };
  // A server that fails during the write may have written the object.
  if (isApiError(error) && error.code >= 500) return { is: "unclear", error, mayBeOurs: true };
  if (error instanceof ConnectionError && error.outcomeUnknown) return { is: "unclear", error, mayBeOurs: true };
  return { is: "failed", error };
}
