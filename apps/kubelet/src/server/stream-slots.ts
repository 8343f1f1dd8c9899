import type { Clock } from "@kintsugi/clock";
import { Refusal } from "./kubelet-server.ts";

export interface StreamLimits {
  /** Concurrent streams to one container. */
  readonly containerMax: number;
  /** Concurrent streams to one pod, including port-forwards. */
  readonly podMax: number;
  /** Concurrent streams of the node. */
  readonly nodeMax: number;
  /** The time for which a stream still counts after its client has disconnected. */
  readonly abandonedMs: number;
}

/**
 * Upstream has no limits. Each session is a process and three pipes of the runtime: 400 sessions to
 * one container prevented containerd from reporting any container's usage for minutes. A person or
 * a tool has a few sessions, and a pod with many users still only has dozens. CRI has no call that
 * ends the process of a session, so a session whose client has disconnected continues for as long
 * as its command runs. It therefore counts for a while longer, so that opening and closing sessions
 * does not bypass the limits.
 */
const streamLimits: StreamLimits = { containerMax: 64, podMax: 128, nodeMax: 512, abandonedMs: 10_000 };

export interface StreamPlace {
  readonly podUid: string;
  /** Undefined for a port-forward. */
  readonly containerName: string | undefined;
}

/** Counts the open streams to the node's containers. */
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
   * Reserves a slot for a stream, which is released when `signal` aborts.
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
  /**
   * Records that the stream has a process of its own, which continues when the client disconnects.
   */
  started(): void;
  /**
   * Records that the runtime has ended the stream, or never started it, so that no part of it
   * continues.
   */
  ended(): void;
}
