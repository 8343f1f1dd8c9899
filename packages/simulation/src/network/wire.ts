import type { HandlerRequest, HandlerResponse, RequestHandler } from "@kintsugi/client";
import { type Life, never } from "../process/life.ts";

/** The network between one machine and the API server: whole, or losing everything without a word. */
export class Wire {
  #healed: Promise<void> | undefined;
  #onHeal: () => void = () => {};
  /** Counts cuts: what was under way at one is lost. */
  #cuts = 0;

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
  }

  /** For a message that was lost: its sender learns nothing until the wire is whole, and then that its connection is gone. */
  async lost(): Promise<never> {
    await this.#healed;
    throw new Error("connection reset");
  }
}

/** What a test may do about a request before it leaves the process. */
export type RequestHook = (request: HandlerRequest) => void;

export interface ConnectionDeps {
  server: RequestHandler;
  wire: Wire;
  life: Life;
  /** What a message takes from one end to the other. */
  latency: () => Promise<void> | undefined;
  onRequest?: RequestHook | undefined;
}

/** The way of one process to the API server, over its machine's wire and only while it lives. */
export function connectTo(deps: ConnectionDeps): RequestHandler {
  const { server, wire, life, latency } = deps;
  return {
    async handle(request): Promise<HandlerResponse> {
      deps.onRequest?.(request);
      if (life.ended) return never();
      if (wire.isCut) return wire.lost();
      const { cuts } = wire;
      await latency();
      if (wire.cuts !== cuts) return wire.lost();
      const answer = await server.handle(request);
      await latency();
      if (life.ended) return never();
      if (wire.cuts !== cuts) return wire.lost();
      const { body } = answer;
      return body instanceof Uint8Array ? answer : { ...answer, body: over(deps, cuts, body) };
    },
  };
}

/** A stream that breaks off where the wire was cut. */
async function* over(
  { wire, latency }: ConnectionDeps,
  cuts: number,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of body) {
    await latency();
    if (wire.cuts !== cuts) await wire.lost();
    yield chunk;
  }
  if (wire.cuts !== cuts) await wire.lost();
}
