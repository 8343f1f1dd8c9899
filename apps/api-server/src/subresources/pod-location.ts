import { badRequest, internalError, type Node, nodes, notFound, type Pod, pods } from "@kintsugi/api";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey } from "../resources/keys.ts";
import type { ServerContext } from "../server-context.ts";
import type { KubeletTarget } from "../kubelet/kubelet-dialer.ts";
import { kubeletTargetOf } from "../kubelet/kubelet-target.ts";

/** @throws ApiError NotFound. */
export function getPod(context: ServerContext, { namespace, name }: { namespace: string; name: string }): Pod {
  const entry = context.store.find(storeKey(pods, namespace, name));
  if (entry === undefined) throw notFound(pods, name);
  return decodeEntry(entry) as Pod;
}

/**
 * Returns the requested container, or the only container.
 * @throws ApiError BadRequest.
 */
export function pickContainer(pod: Pod, asked: string): string {
  const { name = "" } = pod.metadata;
  const containers = (pod.spec?.containers ?? []).map((container) => container.name);
  const others = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.ephemeralContainers ?? [])].map((c) => c.name);
  if (asked !== "") {
    if (![...containers, ...others].includes(asked))
      throw badRequest(`container ${asked} is not valid for pod ${name}`);
    return asked;
  }
  const [only] = containers;
  if (containers.length === 1 && only !== undefined) return only;
  const initNames = (pod.spec?.initContainers ?? []).map((container) => container.name);
  const init = initNames.length === 0 ? "" : ` or one of the init containers: [${initNames.join(" ")}]`;
  throw badRequest(
    `a container name must be specified for pod ${name}, choose one of: [${containers.join(" ")}]${init}`,
  );
}

/**
 * Returns the address of a node's kubelet.
 * @throws ApiError
 */
export function findKubelet(context: ServerContext, nodeName: string): KubeletTarget {
  const entry = context.store.find(storeKey(nodes, "", nodeName));
  if (entry === undefined) throw notFound(nodes, nodeName);
  const target = kubeletTargetOf(nodeName, decodeEntry(entry) as Node);
  if (target === undefined)
    throw internalError(`node ${nodeName} has no InternalIP at which its kubelet can be reached`);
  return target;
}
