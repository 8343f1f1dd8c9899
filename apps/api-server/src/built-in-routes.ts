import type { Metrics } from "@kintsugi/api";
import type { Aggregation } from "./aggregation/aggregation.ts";
import type { StoredValues } from "@kintsugi/store";
import type { BuiltInResource } from "./built-in-route.ts";
import { type BusCredentialIssuer, createBusCredentialsRoute } from "./bus/bus-credentials-route.ts";
import { createDashboardRoute, type Dashboard } from "./dashboard/dashboard-route.ts";
import { createDiscovery } from "./discovery/discovery.ts";
import { createDiscoveryRoute } from "./discovery/discovery-route.ts";
import { createComponentStatusRoute } from "./health/component-status-route.ts";
import { createHealthRoute } from "./health/health-route.ts";
import { createMetricsRoute, type MetricsExposition } from "./health/metrics-route.ts";
import type { Readiness } from "./health/readiness.ts";
import { createOpenApiMaker, createOpenApiRoute } from "./openapi/index.ts";
import { perGeneration } from "./resources/registry.ts";
import { createReviewsRoutes } from "./reviews/reviews-route.ts";
import type { BuiltInRoutes } from "./routes.ts";
import type { ServerContext } from "./server-context.ts";
import type { IssuerDocuments } from "./service-accounts/issuer-discovery.ts";
import { createIssuerDiscoveryRoute } from "./service-accounts/issuer-discovery-route.ts";
import { createSnapshotRoute } from "./snapshot/snapshot-route.ts";
import { createBindingsRoute } from "./subresources/bindings-route.ts";
import type { Journal } from "./timeline/journal.ts";
import { createTimelineRoute } from "./timeline/timeline-route.ts";
import { createMetricsApiRoutes } from "./usage/metrics-api-route.ts";
import type { UsageScraper } from "./usage/usage-scraper.ts";

export interface BuiltInRouteDeps {
  context: ServerContext;
  metrics: Metrics;
  journal: Journal;
  /** Other API servers, whose groups are also listed in discovery and OpenAPI. */
  aggregation: Pick<Aggregation, "directory" | "documents">;
  readiness: Readiness;
  /** The metrics API serves usage only if there is a scraper. */
  scraper: UsageScraper | undefined;
  issuer: IssuerDocuments | undefined;
  /** The form of values in snapshots; absent for unchanged values. */
  storedValues: StoredValues | undefined;
  busCredentials: BusCredentialIssuer | undefined;
  exposition: MetricsExposition | undefined;
  dashboard: Dashboard | undefined;
  /** Resources of the process that runs the server. */
  others: readonly BuiltInResource[];
  /** Sets the metrics that are measured when they are read. */
  prepareMetrics: () => Promise<void>;
}

/** All resources and paths that the server answers without storage. */
export function builtInRoutes(deps: BuiltInRouteDeps): BuiltInRoutes {
  const { context, journal, scraper, aggregation } = deps;
  const { registry } = context;
  const { directory, documents } = aggregation;
  // The numbers only grow, so their sum changes when a number changes.
  const shown = {
    get generation() {
      return registry.generation + directory.generation + documents.generation;
    },
  };
  const createOpenApi = createOpenApiMaker(context.options.minor);
  const livez = { ping: () => {} };
  const readyz = {
    ...livez,
    etcd: () => context.freshness.check(),
    "poststarthook/bootstrap": () => deps.readiness.check(),
    shutdown: () => deps.readiness.checkStays(),
  };
  return {
    resources: [
      ...createReviewsRoutes(context),
      ...createMetricsApiRoutes(context, scraper),
      createBindingsRoute(context),
      createComponentStatusRoute(context),
      createTimelineRoute(journal, context),
      createSnapshotRoute(context.store, deps.storedValues),
      createBusCredentialsRoute(deps.busCredentials),
      ...deps.others,
    ],
    paths: [
      createHealthRoute({ livez, readyz }, deps.metrics),
      createDiscoveryRoute(
        perGeneration(shown, () => createDiscovery(registry.served, documents.versions(directory))),
        context.options.minor,
      ),
      createOpenApiRoute(perGeneration(shown, () => createOpenApi(registry.served, documents.openApi(directory)))),
      createIssuerDiscoveryRoute(deps.issuer),
      createMetricsRoute(deps.exposition, deps.prepareMetrics),
      ...(deps.dashboard === undefined ? [] : [createDashboardRoute(deps.dashboard, context.clock)]),
    ],
  };
}
