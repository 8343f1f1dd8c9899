import type { HandlerRequest, HandlerResponse, RequestHandler } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { type Incarnation, never } from "../process/incarnation.ts";
import { type Passage, type Passing, Impairments } from "./impairments.ts";

/**
 * Limit of waiting messages, above the number of changes of a node's pods in hours. Each change
 * keeps its objects in memory.
 */
const waitingMax = 10_000;

/** One direction of a wire: intact, or losing everything silently. */
class Lane {
  #healed: Promise<void> | undefined;
  #onHeal: () => void = () => {};
  /** Counts cuts: each cut loses the messages in flight. */
  #cuts = 0;
  readonly #waiting: (() => void)[] = [];

  get isCut(): boolean {
    return this.#healed !== undefined;
  }

  get cuts(): number {
    return this.#cuts;
  }

  cut(): void {
    if (this.isCut) return;
    this.#cuts++;
    this.#healed = new Promise((resolve) => (this.#onHeal = resolve));
  }

  heal(): void {
    this.#healed = undefined;
    this.#onHeal();
    while (!this.isCut && this.#waiting.length > 0) this.#waiting.shift()?.();
  }

  /**
   * Delivers a message immediately, or in its turn when the lane is intact again, because the
   * sender repeats the message.
   * @returns false if too many messages wait already, so that the message is lost.
   */
  arrive(happen: () => void): boolean {
    if (!this.isCut) happen();
    else if (this.#waiting.length < waitingMax) this.#waiting.push(happen);
    else return false;
    return true;
  }

  /**
   * Returns the fate of a lost message: its sender does not receive an answer until the lane is
   * intact, and then detects that its connection is closed.
   */
  async lost(): Promise<never> {
    await this.#healed;
    throw new Error("connection reset");
  }
}

/** The network between one machine and the API server. */
export class Wire {
  readonly out = new Lane();
  readonly in = new Lane();
  /** The other faults of the messages on the lane. */
  readonly impairments = new Impairments<Passing, Passage>();

  /** True if both directions lose everything. */
  get isCut(): boolean {
    return this.out.isCut && this.in.isCut;
  }

  cut(): void {
    this.out.cut();
    this.in.cut();
  }

  heal(): void {
    this.out.heal();
    this.in.heal();
  }
}

/** A test's hook for a request before it leaves the process. */
export type RequestHook = (request: HandlerRequest) => void;

export interface ConnectionDeps {
  server: RequestHandler;
  clock: Clock;
  wire: Wire;
  incarnation: Incarnation;
  /** The delay of a message from one end to the other. */
  latency: () => Promise<void> | undefined;
  onRequest?: RequestHook | undefined;
}

/** The path of one process to the API server, over its machine's wire and only while it runs. */
export function connectTo(deps: ConnectionDeps): RequestHandler {
  const { server, incarnation } = deps;
  return {
    async handle(request): Promise<HandlerResponse> {
      deps.onRequest?.(request);
      if (incarnation.ended) return never();
      await pass(deps, { direction: "out", request }, never);
      // A client that was killed in the middle of its request has not sent the request.
      if (incarnation.ended) return never();
      const answer = await server.handle(request);
      const { status, headers, body } = answer;
      if (body instanceof Uint8Array) {
        await pass(deps, { direction: "in", request }, never);
        await incarnation.awake();
        return answer;
      }
      return { status, headers, body: over(deps, request, body) };
    },
  };
}

/** A stream that breaks if the wire was cut, or a piece of it was lost. */
async function* over(
  deps: ConnectionDeps,
  request: HandlerRequest,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const lane = deps.wire.in;
  const { cuts } = lane;
  for await (const chunk of body) {
    await pass(deps, { direction: "in", request }, breaksOff);
    if (lane.cuts !== cuts) await lane.lost();
    const asleep = deps.incarnation.awake();
    if (asleep) await asleep;
    yield chunk;
  }
  if (lane.cuts !== cuts) await lane.lost();
}

/** One message in flight in one direction. */
async function pass(deps: ConnectionDeps, passing: Passing, onLost: () => Promise<never>): Promise<void> {
  const { wire, clock, latency } = deps;
  const lane = wire[passing.direction];
  const passage = wire.impairments.decide(passing);
  if (passage === "lost") await onLost();
  if (lane.isCut) await lane.lost();
  const { cuts } = lane;
  if (typeof passage === "object") await clock.sleep(passage.delayMs);
  const slow = latency();
  if (slow) await slow;
  if (lane.cuts !== cuts) await lane.lost();
}

async function breaksOff(): Promise<never> {
  throw new Error("connection timed out");
}
