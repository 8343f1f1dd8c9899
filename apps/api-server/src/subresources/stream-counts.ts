import { tooManyRequests } from "@kintsugi/api";

/**
 * Limit of concurrent streams through this server. Each holds two sockets; the usual limit of 4,096
 * open files leaves room for all other files.
 */
const serverMax = 1000;
/**
 * The kubelet's limits for a container and a pod. The kubelet itself rejects streams beyond these
 * limits, but each rejection costs the kubelet the handshake of a connection.
 */
const [containerMax, podMax] = [64, 128];

export interface StreamTarget {
  readonly podUid: string;
  /** Undefined for a port-forward. */
  readonly containerName: string | undefined;
}

/** Counts the streams through this server. */
export class StreamCounts {
  readonly #open = new Map<string, number>();

  /** Reserves a slot for a stream until the returned function is called. @throws ApiError */
  take({ podUid, containerName }: StreamTarget): () => void {
    const counted: [name: string, max: number, of: string][] = [
      ["", serverMax, "this server"],
      [podUid, podMax, "the pod"],
    ];
    if (containerName !== undefined)
      counted.push([`${podUid} ${containerName}`, containerMax, `container ${JSON.stringify(containerName)}`]);
    for (const [name, max, of] of counted) {
      if ((this.#open.get(name) ?? 0) < max) continue;
      throw tooManyRequests(`${of} has ${max} streams (exec, attach, port-forward) already: try again later`);
    }
    const names = counted.map(([name]) => name);
    for (const name of names) this.#open.set(name, (this.#open.get(name) ?? 0) + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      for (const name of names) this.#giveBack(name);
    };
  }

  #giveBack(name: string): void {
    const left = (this.#open.get(name) ?? 0) - 1;
    if (left > 0) this.#open.set(name, left);
    else this.#open.delete(name);
  }
}
