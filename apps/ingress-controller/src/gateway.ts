import type { RoutePlan } from "./plan/route-plan.ts";

/** The server in front, which passes requests on by the routes that it was given last. */
export interface Gateway {
  /**
   * Serves by these routes from the moment on that this resolves. Requests and connections that are
   * under way end by the earlier ones.
   * @throws Error when the server refuses them; it continues with the earlier ones.
   */
  serve(plan: RoutePlan): Promise<void>;
  /** Keeps the server running until the signal aborts, and then ends it. */
  run(signal: AbortSignal): Promise<void>;
}
