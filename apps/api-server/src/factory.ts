import type { Logger, Metrics } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import type { Store } from "@kintsugi/store";
import type { ChangePublisher } from "@kintsugi/watch-stream";
import { createAdmission } from "./admission/admission.ts";
import { admissionSteps } from "./admission/steps.ts";
import { bootstrapPolicy, createAuthorizer } from "./authorization/index.ts";
import { ensureObjects } from "./bootstrap/ensure-objects.ts";
import { systemNamespaces } from "./bootstrap/system-namespaces.ts";
import { type BusCredentialIssuer, createBusCredentialsRoute } from "./bus/bus-credentials-route.ts";
import { createDiscovery } from "./discovery/discovery.ts";
import { createDiscoveryRoute } from "./discovery/discovery-route.ts";
import { createHealthRoute } from "./health/health-route.ts";
import { createMetricsRoute, type MetricsExposition } from "./health/metrics-route.ts";
import { createApiHandler } from "./http/api-handler.ts";
import type { Handle } from "./http/api-request.ts";
import { InFlightLimit } from "./http/in-flight.ts";
import { RequestMetrics } from "./http/request-metrics.ts";
import { createOpenApi, createOpenApiRoute } from "./openapi/index.ts";
import { parseAddressRange, ServiceAllocator } from "./resources/cluster-ip.ts";
import { storeResource } from "./resources/keys.ts";
import { createRegistry, type Registry } from "./resources/registry.ts";
import { runCompactor } from "./loops/compactor.ts";
import { runEventSweeper } from "./loops/event-sweeper.ts";
import { createReviewsRoute } from "./reviews/reviews-route.ts";
import type { KubeObject } from "./resources/resource.ts";
import { createRoutes } from "./routes.ts";
import type { ServerContext } from "./server-context.ts";
import { defaultServerOptions, type ServerOptions } from "./server-options.ts";
import type { KubeletDialer } from "./subresources/kubelet-dialer.ts";
import { createBindingsRoute } from "./subresources/bindings-route.ts";
import { createSubresourceTable } from "./subresources/subresource-table.ts";
import { Journal, type TimelineLog } from "./timeline/journal.ts";
import { createTimelineRoute } from "./timeline/timeline-route.ts";
import { EncoderPool } from "./watch/encoder-pool.ts";
import { WatchHub } from "./watch/hub.ts";
import { NodeRevisions } from "./watch/node-revisions.ts";
import { Relay } from "./watch/relay.ts";

export interface ApiServerDeps {
  store: Store;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
  /** What /metrics answers with. */
  exposition?: MetricsExposition;
  /** Where changes are published; without it clients watch over HTTP. */
  changePublisher?: ChangePublisher;
  busCredentials?: BusCredentialIssuer;
  /** Where the timeline outlives the process. */
  timelineLog?: TimelineLog;
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
  const range = parseAddressRange(completed.serviceClusterIpRange);
  const allocator = new ServiceAllocator({ store, random, nowMs: () => clock.monotonicMs() }, range);
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
    nodeRevisions: new NodeRevisions(store),
    allocator,
    options: completed,
  };
  const journal = new Journal({ clock, log, file: deps.timelineLog });
  const readiness = createReadiness();
  const limit = new InFlightLimit(completed);
  const requestMetrics = new RequestMetrics(metrics);
  const special = [
    createHealthRoute({
      livez: { ping: () => {} },
      readyz: { ping: () => {}, "poststarthook/bootstrap": readiness.check },
    }),
    createDiscoveryRoute(createDiscovery(registry.served)),
    createOpenApiRoute(createOpenApi(registry.served)),
    createReviewsRoute(context),
    createBindingsRoute(context),
    createTimelineRoute(journal),
    createBusCredentialsRoute(deps.busCredentials),
    createMetricsRoute(deps.exposition, () => requestMetrics.setInFlight(limit)),
  ];
  const routes = createRoutes({ context, subresources: createSubresourceTable(deps.kubeletDialer), special });
  const handle = createApiHandler({ clock, log, routes, authorizer, limit, metrics: requestMetrics }, completed);
  const relay = createRelay(deps, registry);
  store.subscribe((changes) => {
    // Whoever is let in, or shut out, by a change is told of nothing before the change counts.
    authorizer.observe(changes);
    for (const change of changes) {
      const previousOfNode = context.nodeRevisions.advance(change);
      relay?.publish(change, previousOfNode);
    }
    journal.observe(changes);
  });
  hub.follow(store);
  const loops = [
    (stop: AbortSignal) => runEventSweeper({ store, clock, log }, stop),
    (stop: AbortSignal) => runCompactor({ store, clock, log }, stop),
    (stop: AbortSignal) => journal.run(stop),
    ...(relay === undefined ? [] : [(stop: AbortSignal) => relay.run(stop)]),
  ];
  return {
    handle,
    ready: readiness.reached,
    run: async (signal) => {
      await ensureObjects(context, [...systemNamespaces, ...(bootstrapPolicy() as unknown as KubeObject[])]);
      readiness.reach();
      try {
        await runLoops([() => store.failed, ...loops], signal);
      } finally {
        hub.close();
      }
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

function createRelay(deps: ApiServerDeps, registry: Registry): Relay | undefined {
  const { changePublisher: publisher, store, clock, log, metrics } = deps;
  if (publisher === undefined) return undefined;
  const resources = registry.resources.filter(({ view }) => view === undefined).map(({ type }) => storeResource(type));
  return new Relay({ store, publisher, clock, log, metrics }, { resources });
}

/** Runs all until the signal aborts; when one fails, the others are stopped and the failure is thrown. */
async function runLoops(loops: readonly ((stop: AbortSignal) => Promise<void>)[], signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const all = AbortSignal.any([signal, stop.signal]);
  const running = loops.map((loop) => loop(all));
  try {
    await Promise.race([untilAborted(signal), ...running.map((loop) => untilFailed(loop, signal))]);
  } finally {
    stop.abort();
    // The store's failure never comes in a good life, so it is not waited for.
    await Promise.allSettled(running.slice(1));
  }
}

/** A loop that ends early without an error was told to. */
async function untilFailed(loop: Promise<void>, signal: AbortSignal): Promise<void> {
  await loop;
  await untilAborted(signal);
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
