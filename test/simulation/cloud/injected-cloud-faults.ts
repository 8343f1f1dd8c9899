import type { HandlerRequest, RequestHandler } from "@kintsugi/client";
import { type CloudCallName, CloudError, type CloudProvider } from "@kintsugi/cloud";

/** Draws whether a fault occurs, with this share; never once the faults of a run have ended. */
export type Luck = (share: number) => boolean;

const callNames: readonly CloudCallName[] = [
  "findInstance",
  "listInstances",
  "ensureLoadBalancer",
  "findLoadBalancer",
  "deleteLoadBalancer",
  "listRoutes",
  "ensureRoute",
  "deleteRoute",
  "listNodeGroups",
  "resizeNodeGroup",
  "deleteMachines",
];

/** The cloud as services see it: calls fail, lose their answers, and deny existing machines. */
export function withInjectedFaults(cloud: CloudProvider, happens: Luck): CloudProvider {
  const faulty = (name: CloudCallName) => async (request: never, signal?: AbortSignal) => {
    if (happens(0.08)) throw new CloudError("Unavailable", "drawn: nothing was done");
    const answer = await cloud[name](request, signal);
    if (happens(0.08)) throw new CloudError("Unavailable", "drawn: the answer is lost");
    // A wrong answer: the requested machine no longer exists.
    if (name === "findInstance" && happens(0.05)) return {};
    return answer;
  };
  return Object.fromEntries(callNames.map((name) => [name, faulty(name)])) as unknown as CloudProvider;
}

/** Makes evictions delete pods. Occasionally a budget rejects an eviction, and the pod remains. */
export function withEvictions(handler: RequestHandler, happens: Luck): RequestHandler {
  return {
    handle: (request) => {
      const path = /^(.*\/pods\/[^/]+)\/eviction$/.exec(request.path)?.[1];
      if (path === undefined) return handler.handle(request);
      const { body: _, ...rest } = request;
      return handler.handle({ ...rest, path, method: happens(0.2) ? "GET" : "DELETE" } as HandlerRequest);
    },
  };
}
