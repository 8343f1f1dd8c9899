import type { RoutePlan } from "./plan/route-plan.ts";

/** The server in front, which forwards requests by the routes that it was last given. */
export interface Gateway {
  /**
   * Serves by these routes from the moment when the promise resolves. Requests and connections in
   * progress continue with the earlier routes.
   * @throws Error when the server rejects the routes; the server then continues with the earlier
   * routes.
   */
  serve(plan: RoutePlan): Promise<void>;
  /** Runs the server until the signal aborts, and then ends the server. */
  run(signal: AbortSignal): Promise<void>;
}
