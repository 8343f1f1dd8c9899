import { dropManagedFields, type HandlerRequest, type RequestHandler } from "@kintsugi/client";
import { isPodReady, type Pod } from "@kintsugi/api";

export interface QuietPodsOptions {
  readonly nodeName: string;
  /** The pods of the node that its kubelet has to manage. */
  readonly pods: () => readonly Pod[];
  /** Returns the stored form of a pod. */
  readonly find: (pod: Pod) => Pod | undefined;
  readonly revision: () => number;
  /** Reports whether the server responds now, and no fault affects its responses. */
  readonly isServing: () => boolean;
}

/**
 * Answers a kubelet's list of its pods without the pods that do not change by themselves. A kubelet
 * that gets one pod would otherwise first reconcile all of its pods.
 */
export function withoutQuietPods(
  handler: RequestHandler,
  { nodeName, pods, find, revision, isServing }: QuietPodsOptions,
): RequestHandler {
  const isList = ({ method, path }: HandlerRequest) => {
    const [place, query = ""] = path.split("?");
    if (method !== "GET" || place !== "/api/v1/pods") return false;
    const { fieldSelector, limit, ...rest } = Object.fromEntries(new URLSearchParams(query));
    return fieldSelector === `spec.nodeName=${nodeName}` && limit !== undefined && Object.keys(rest).length === 0;
  };
  return {
    handle: async (request) => {
      if (!isList(request) || !isServing()) return handler.handle(request);
      const items = pods()
        .flatMap((pod) => find(pod) ?? [])
        .map((pod) => dropManagedFields(pod));
      const list = { metadata: { resourceVersion: String(revision()) }, items };
      return { status: 200, headers: { "content-type": "application/json" }, body: new Uint8Array(), parsed: list };
    },
  };
}

/**
 * Reports whether the kubelet need not manage the pod while nothing changes. The Node reports the
 * volumes and devices of its pods, so that a pod with a claim is never quiet.
 */
export function mayBeQuiet(pod: Pod): boolean {
  if (!isPodReady(pod) || pod.metadata.deletionTimestamp !== undefined) return false;
  const { volumes = [], resourceClaims = [] } = pod.spec ?? {};
  const isMoved = volumes.some(({ persistentVolumeClaim, ephemeral }) => persistentVolumeClaim ?? ephemeral);
  return !isMoved && resourceClaims.length === 0;
}
