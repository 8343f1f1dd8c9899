import type { Clock } from "@kintsugi/clock";
import { Refusal } from "./kubelet-server.ts";

export interface StreamLimits {
  /** Streams to one container at a time. */
  readonly containerMax: number;
  /** Streams to one pod at a time, port-forwards included. */
  readonly podMax: number;
  /** Streams of the node at a time. */
  readonly nodeMax: number;
  /** The time that a stream still counts after its client has left it. */
  readonly abandonedMs: number;
}

/**
 * Upstream has no limits. Each session is a process and three pipes of the runtime: 400 sessions to
 * one container kept containerd from reporting any container's usage for minutes. A person or a
 * tool has a few; a pod that is worked on by many still has dozens. CRI has no call that ends the
 * process of a session, so a session whose client has left continues for a time that only its
 * command knows; it counts a while longer, and opening and leaving sessions gives no way past the
 * limits.
 */
const streamLimits: StreamLimits = { containerMax: 64, podMax: 128, nodeMax: 512, abandonedMs: 10_000 };

export interface StreamPlace {
  readonly podUid: string;
  /** Undefined for a port-forward. */
  readonly containerName: string | undefined;
}

/** Counts the streams that are open to the node's containers. */
export class StreamSlots {
  readonly #clock: Clock;
  readonly #limits: StreamLimits;
  /** The open streams of the node, of each pod and of each container. */
  readonly #open = new Map<string, number>();

  constructor({ clock }: { clock: Clock }, limits = streamLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * Takes a place for a stream, which `signal` gives back when it aborts.
   * @throws Refusal
   */
  take(place: StreamPlace, signal: AbortSignal): StreamSlot {
    const { containerMax, podMax, nodeMax } = this.#limits;
    const pod = `pod ${place.podUid}`;
    const counted: [name: string, max: number, of: string][] = [
      ["node", nodeMax, "this node"],
      [pod, podMax, "the pod"],
    ];
    if (place.containerName !== undefined)
      counted.push([`${pod} ${place.containerName}`, containerMax, `container ${JSON.stringify(place.containerName)}`]);
    for (const [name, max, of] of counted) {
      if ((this.#open.get(name) ?? 0) < max) continue;
      throw new Refusal(429, `${of} has ${max} streams (exec, attach, port-forward) already: try again later`);
    }
    const names = counted.map(([name]) => name);
    for (const name of names) this.#open.set(name, (this.#open.get(name) ?? 0) + 1);
    let hasEnded = true;
    const giveBack = () => {
      for (const name of names) this.#giveBack(name);
    };
    const leave = () => {
      if (hasEnded) giveBack();
      else this.#clock.after(this.#limits.abandonedMs, giveBack);
    };
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    return {
      started: () => {
        hasEnded = false;
      },
      ended: () => {
        hasEnded = true;
      },
    };
  }

  #giveBack(name: string): void {
    const left = (this.#open.get(name) ?? 0) - 1;
    if (left > 0) this.#open.set(name, left);
    else this.#open.delete(name);
  }
}

export interface StreamSlot {
  /** The stream gets a process of its own, which goes on when the client leaves. */
  started(): void;
  /** The runtime has ended the stream, or never had it: nothing of it continues. */
  ended(): void;
}
