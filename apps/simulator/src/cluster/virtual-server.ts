import { type ApiServer, createApiServer, type ServerOptions } from "@kintsugi/api-server/factory";
import type { HandlerRequest, HandlerResponse, RequestHandler } from "@kintsugi/client";
import type { Logger } from "@kintsugi/api";
import { silentMetrics } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import type { Store } from "@kintsugi/store";
import { createChangePublisher } from "@kintsugi/watch-stream";
import {
  type BusLinks,
  type Death,
  type Life,
  type RequestWitness,
  storeSession,
  VirtualProcess,
  Wire,
} from "@kintsugi/simulation";

export interface VirtualServerDeps {
  store: Store;
  bus: BusLinks | undefined;
  clock: Clock;
  random: Random;
  log: Logger;
  onDeath: (death: Death) => void;
}

/** Where everybody finds the api-server, whichever process it is just now; they all work on the same store. */
export class VirtualServer implements RequestHandler {
  readonly process: VirtualProcess;
  readonly #witnesses: RequestWitness[] = [];
  #current: ApiServer | undefined;
  #life: Life | undefined;

  constructor(deps: VirtualServerDeps, options: Partial<ServerOptions> & { clusterName: string }) {
    const { store, bus, clock, random, log, onDeath } = deps;
    this.process = new VirtualProcess(
      {
        clock,
        onDeath,
        run: async (signal, life, ownClock) => {
          const connection = bus?.connect("api-server", { life, wire: new Wire() });
          const changePublisher =
            connection &&
            createChangePublisher({ bus: connection }, { cluster: options.clusterName, historyId: store.historyId });
          const session = storeSession(store, life);
          const server = createApiServer(
            {
              store: session,
              clock: ownClock,
              random,
              log,
              metrics: silentMetrics,
              ...(changePublisher && { changePublisher }),
            },
            options,
          );
          this.#current = server;
          this.#life = life;
          life.onEnd(() => {
            if (this.#current === server) this.#current = undefined;
          });
          await server.run(signal);
        },
      },
      { name: "api-server" },
    );
  }

  get ready(): Promise<void> {
    return this.#current?.ready ?? Promise.reject(new Error("the api-server is down"));
  }

  witness(witness: RequestWitness): void {
    this.#witnesses.push(witness);
  }

  async handle(request: HandlerRequest): Promise<HandlerResponse> {
    const server = this.#current;
    if (!server) throw new Error("connection refused");
    await this.#life?.awake();
    if (this.#current !== server) throw new Error("connection reset");
    const tell = this.#witnesses.map((witness) => witness(request));
    const response = await server.handle(request);
    for (const answered of tell) answered?.(response);
    if (this.#current !== server) throw new Error("connection reset");
    return response;
  }
}
