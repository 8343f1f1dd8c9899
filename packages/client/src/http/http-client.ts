import { type Metrics, silentMetrics } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import type { Client } from "../client.ts";
import { RestClient } from "../rest/rest-client.ts";
import { HttpsTransport, type HttpsTransportOptions } from "./https-transport.ts";

export interface HttpClientDeps {
  clock: Clock;
  random: Random;
  metrics?: Metrics;
}

export interface HttpClientOptions extends HttpsTransportOptions {
  /** "kintsugi-scheduler/v0.1.0". */
  userAgent: string;
  /** A bearer token, for identities that have no certificate. */
  token?: string | undefined;
  /** The limit of one attempt. Default 30 s. */
  attemptTimeoutMs?: number;
  /** The limit of a call with its retries. Default 60 s. */
  callTimeoutMs?: number;
}

/** A client of an API server over HTTPS. It connects when it is first used. */
export function createHttpClient(deps: HttpClientDeps, options: HttpClientOptions): Client {
  const { clock, random, metrics = silentMetrics } = deps;
  return new RestClient(
    { transport: new HttpsTransport(options), clock, random, metrics },
    {
      userAgent: options.userAgent,
      ...(options.token === undefined ? {} : { headers: { authorization: `Bearer ${options.token}` } }),
      ...(options.attemptTimeoutMs === undefined ? {} : { attemptTimeoutMs: options.attemptTimeoutMs }),
      ...(options.callTimeoutMs === undefined ? {} : { callTimeoutMs: options.callTimeoutMs }),
    },
  );
}
