import { silentMetrics } from "@kintsugi/api";
import type { Client } from "../client.ts";
import { RestClient } from "../rest/rest-client.ts";
import type { Transport } from "../rest/transport.ts";
import type { HttpClientDeps, HttpClientOptions } from "./http-client.ts";
import { HttpsTransport } from "./https-transport.ts";

/** A user to impersonate in a request. */
export interface ImpersonatedUser {
  /** "system:node:node-1". */
  readonly name: string;
  /** "system:nodes"; the server adds the group of all authenticated users. */
  readonly group?: string | undefined;
}

/** Clients of many users over the same connections and with the same credentials. */
export interface HttpPool {
  /**
   * A client whose requests are made as the user, or as the credentials' own user where no user is
   * given. The credentials must be allowed to impersonate the user. Its `close` does not close the
   * connections.
   */
  client(user?: ImpersonatedUser): Client;
  close(): Promise<void>;
}

/** Connects when one of its clients is first used. */
export function createHttpPool(deps: HttpClientDeps, options: HttpClientOptions): HttpPool {
  const transport = new HttpsTransport(options);
  const shared: Transport = {
    host: transport.host,
    send: (request) => transport.send(request),
    close: () => Promise.resolve(),
  };
  const { clock, random, metrics = silentMetrics } = deps;
  const { userAgent, token, attemptTimeoutMs, callTimeoutMs } = options;
  return {
    client: (user) =>
      new RestClient(
        { transport: shared, clock, random, metrics },
        {
          userAgent,
          headers: {
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
            ...(user === undefined ? {} : impersonationOf(user)),
          },
          ...(attemptTimeoutMs === undefined ? {} : { attemptTimeoutMs }),
          ...(callTimeoutMs === undefined ? {} : { callTimeoutMs }),
        },
      ),
    close: () => transport.close(),
  };
}

function impersonationOf({ name, group }: ImpersonatedUser): Record<string, string> {
  return { "impersonate-user": name, ...(group === undefined ? {} : { "impersonate-group": group }) };
}
