import type { PodInfo } from "./pod-info.ts";

/** A pod and the node on which room is being made for it. */
export interface Nominated {
  readonly pod: PodInfo;
  readonly nodeName: string;
}

/**
 * The nodes on which room is being made for pods that wait (`status.nominatedNodeName`). The API's
 * nominations arrive through the informer. A decision is stored here until the API has it too.
 */
export class Nominations {
  readonly #byUid = new Map<string, Nominated>();
  readonly #byNode = new Map<string, Map<string, PodInfo>>();

  nodeOf(uid: string): string | undefined {
    return this.#byUid.get(uid)?.nodeName;
  }

  get isEmpty(): boolean {
    return this.#byUid.size === 0;
  }

  on(nodeName: string): Iterable<PodInfo> {
    return this.#byNode.get(nodeName)?.values() ?? [];
  }

  nodes(): Iterable<string> {
    return this.#byNode.keys();
  }

  put(pod: PodInfo, nodeName: string): void {
    this.remove(pod.uid);
    this.#byUid.set(pod.uid, { pod, nodeName });
    let pods = this.#byNode.get(nodeName);
    if (pods === undefined) this.#byNode.set(nodeName, (pods = new Map()));
    pods.set(pod.uid, pod);
  }

  remove(uid: string): Nominated | undefined {
    const nominated = this.#byUid.get(uid);
    if (nominated === undefined) return undefined;
    this.#byUid.delete(uid);
    const pods = this.#byNode.get(nominated.nodeName);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byNode.delete(nominated.nodeName);
    return nominated;
  }
}
