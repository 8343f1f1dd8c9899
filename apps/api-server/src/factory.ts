import type { Logger, Metrics } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import type { Store } from "@kintsugi/store";
import { createAdmission } from "./admission/admission.ts";
import { admissionSteps } from "./admission/steps.ts";
import { bootstrapPolicy, createAuthorizer } from "./authorization/index.ts";
import { ensureObjects } from "./bootstrap/ensure-objects.ts";
import { systemNamespaces } from "./bootstrap/system-namespaces.ts";
import { createDiscovery } from "./discovery/discovery.ts";
import { createDiscoveryRoute } from "./discovery/discovery-route.ts";
import { createHealthRoute } from "./health/health-route.ts";
import { createMetricsRoute, type MetricsExposition } from "./health/metrics-route.ts";
import { createApiHandler } from "./http/api-handler.ts";
import type { Handle } from "./http/api-request.ts";
import { InFlightLimit } from "./http/in-flight.ts";
import { RequestMetrics } from "./http/request-metrics.ts";
import { createRegistry } from "./resources/registry.ts";
import type { KubeObject } from "./resources/resource.ts";
import { createRoutes } from "./routes.ts";
import type { ServerContext } from "./server-context.ts";
import { defaultServerOptions, type ServerOptions } from "./server-options.ts";
import type { KubeletDialer } from "./subresources/kubelet-dialer.ts";
import { createSubresourceTable } from "./subresources/subresource-table.ts";
import { EncoderPool } from "./watch/encoder-pool.ts";
import { WatchHub } from "./watch/hub.ts";

export interface ApiServerDeps {
  store: Store;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
  /** What /metrics answers with. */
  exposition?: MetricsExposition;
  /** How logs are fetched from nodes; without it they are refused. */
  kubeletDialer?: KubeletDialer;
}

export interface ApiServer {
  /** One request in, one answer out; nothing is carried by a network here. */
  readonly handle: Handle;
  /** Creates what every cluster has, then works until the signal aborts. @throws when the store has failed for good. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when the server has what every cluster has, so that it can be used. */
  readonly ready: Promise<void>;
}

/** Assembles the server. Nothing runs until `run`. */
export function createApiServer(deps: ApiServerDeps, options: Partial<ServerOptions> = {}): ApiServer {
  const completed = { ...defaultServerOptions, ...options };
  const { store, clock, random, log, metrics } = deps;
  const registry = createRegistry();
  const authorizer = createAuthorizer({ store });
  const hub = new WatchHub();
  const context: ServerContext = {
    store,
    clock,
    random,
    log,
    registry,
    authorizer,
    admission: createAdmission(admissionSteps({ authorizer, registry }, completed)),
    hub,
    encoders: new EncoderPool({ clock }),
    options: completed,
  };
  const readiness = createReadiness();
  const limit = new InFlightLimit(completed);
  const requestMetrics = new RequestMetrics(metrics);
  const special = [
    createHealthRoute({
      livez: { ping: () => {} },
      readyz: { ping: () => {}, "poststarthook/bootstrap": readiness.check },
    }),
    createDiscoveryRoute(createDiscovery(registry.served)),
    createMetricsRoute(deps.exposition, () => requestMetrics.setInFlight(limit)),
  ];
  const routes = createRoutes({ context, subresources: createSubresourceTable(deps.kubeletDialer), special });
  const handle = createApiHandler({ clock, log, routes, authorizer, limit, metrics: requestMetrics }, completed);
  // Whoever is let in by a change is told of nothing before the change counts.
  store.subscribe((changes) => authorizer.observe(changes));
  hub.follow(store);
  return {
    handle,
    ready: readiness.reached,
    run: async (signal) => {
      await ensureObjects(context, [...systemNamespaces, ...(bootstrapPolicy() as unknown as KubeObject[])]);
      readiness.reach();
      await Promise.race([store.failed, untilAborted(signal)]);
      hub.close();
    },
  };
}

function createReadiness() {
  let reach = (): void => {};
  let isReached = false;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  return {
    reached,
    reach: () => {
      isReached = true;
      reach();
    },
    check: () => {
      if (!isReached) throw new Error("what every cluster has is not there yet");
    },
  };
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
