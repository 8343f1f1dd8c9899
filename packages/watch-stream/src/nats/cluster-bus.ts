import type { ChangeStream, Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { BusChangeStream } from "../bus-change-stream.ts";
import { type ApiCall, requestBusCredentials } from "./bus-credentials.ts";
import { NatsBus } from "./nats-bus.ts";

export interface ClusterBusDeps {
  clock: Clock;
  log: Logger;
  /** The API server's client; its certificate identifies the caller, and so its subscriptions. */
  call: ApiCall;
}

/** A service's connection to the cluster's bus. While it is down, informers continue over HTTP. */
export interface ClusterBus {
  readonly name: "bus";
  readonly changes: ChangeStream;
  /** Returns the URLs of the bus's servers; empty before they are known. */
  servers(): readonly string[];
  /** Stays connected until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export function createClusterBus(deps: ClusterBusDeps, options: { service: string; ca: string }): ClusterBus {
  const { clock, log, call } = deps;
  const credentials = (publicKey: string, signal: AbortSignal) => requestBusCredentials(call, publicKey, signal);
  const bus = new NatsBus({ clock, log, credentials }, { name: options.service, ca: options.ca });
  return {
    name: "bus",
    changes: new BusChangeStream({ bus, log, cluster: () => bus.cluster() }),
    servers: () => bus.servers(),
    run: (signal) => bus.run(signal),
  };
}
