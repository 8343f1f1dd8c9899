import {
  type CallerIdentity,
  type Client,
  createInProcessClient,
  type HttpPool,
  type RequestHandler,
} from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";

export interface InProcessPoolDeps {
  /** A user's connection to the API server. */
  handlerFor: (userName: string) => RequestHandler;
  clock: Clock;
  random: Random;
}

/**
 * Clients of many users without a network.
 * @param own the user of a client that is made without another user.
 */
export function inProcessPool(deps: InProcessPoolDeps, own: CallerIdentity): Pick<HttpPool, "client"> {
  return {
    client: (user): Client => {
      const groups = user?.group === undefined ? [] : [user.group];
      const identity = user === undefined ? own : { name: user.name, groups: [...groups, "system:authenticated"] };
      return createInProcessClient({ ...deps, handler: deps.handlerFor(identity.name) }, { identity });
    },
  };
}
