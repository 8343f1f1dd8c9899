import { bootstrapFlowObjects, builtInKinds, systemPriorityClasses, toStatus, usageKinds } from "@kintsugi/api";
import type { CommittedChange } from "@kintsugi/store";
import type { ChangePublisher } from "@kintsugi/watch-stream";
import { type Aggregation, createAggregation } from "./aggregation/aggregation.ts";
import type { ClientCertificate } from "./aggregation/remote-caller.ts";
import type { Auditor } from "./audit/auditor.ts";
import { bootstrapPolicy } from "./authorization/index.ts";
import { ensureObjects } from "./bootstrap/ensure-objects.ts";
import { systemNamespaces, systemServiceAccounts } from "./bootstrap/system-namespaces.ts";
import type { BuiltInResource } from "./built-in-route.ts";
import { builtInRoutes } from "./built-in-routes.ts";
import type { BusCredentialIssuer } from "./bus/bus-credentials-route.ts";
import type { Dashboard } from "./dashboard/dashboard-route.ts";
import { DefinitionLoop } from "./custom-resources/definition-loop.ts";
import { ServedDefinitions } from "./custom-resources/served-definitions.ts";
import { createReadiness, type Readiness } from "./health/readiness.ts";
import { createStateMetrics } from "./health/state-metrics.ts";
import type { MetricsExposition } from "./health/metrics-route.ts";
import { FlowControl } from "./flow-control/flow-control.ts";
import { BodyMemory } from "./http/bodies/body-memory.ts";
import { createApiHandler } from "./handler/api-handler.ts";
import type { Handle } from "./http/api-request.ts";
import { InFlightLimit } from "./handler/in-flight.ts";
import { pathNotFound } from "./http/refusals.ts";
import { RequestMetrics } from "./handler/request-metrics.ts";
import { createFindNames } from "./handler/request-names.ts";
import { encodingsOf } from "./http/negotiate.ts";
import { createRegistry, type Registry } from "./resources/registry.ts";
import { runLoops } from "./loops/run-loops.ts";
import { runScrubber } from "./loops/scrubber.ts";
import { ServiceAddressLoop } from "./loops/service-addresses.ts";
import { serverStatuses } from "./loops/server-statuses.ts";
import { singleLoops } from "./loops/single-loops.ts";
import { StatusLoop } from "./loops/status-loop.ts";
import type { BackendDialer } from "./proxy/backend-dialer.ts";
import type { KubeObject } from "./resources/resource.ts";
import { type ContextDeps, createServerContext } from "./create-context.ts";
import { createRoutes } from "./routes.ts";
import type { ServerContext } from "./server-context.ts";
import { defaultServerOptions, hasFlowObjects, type ServerOptions } from "./server-options.ts";
import { type IssuerDocuments, issuerDocuments } from "./service-accounts/issuer-discovery.ts";
import type { KubeletDialer } from "./kubelet/kubelet-dialer.ts";

export type { KubeletDialer } from "./kubelet/kubelet-dialer.ts";
import { createSubresources, type Subresource } from "./subresources/subresource-table.ts";
import { Journal, type TimelineLog } from "./timeline/journal.ts";
import { RecoveryTraces, type TraceSink } from "./traces/recovery-traces.ts";
import { UsageScraper } from "./usage/usage-scraper.ts";
import { Relay } from "./watch/relay.ts";

export { kubernetesService } from "./loops/kubernetes-service.ts";
export { defaultServerOptions, type ServerOptions, timerOptions } from "./server-options.ts";
export { createDashboardRoute } from "./dashboard/dashboard-route.ts";
export { type StoredObject, storedObject } from "./storage/stored-object.ts";
export { readDashboardFiles } from "./dashboard/read-dashboard-files.ts";
export { timelineEntriesOf } from "./timeline/journal.ts";
export { enabledPlugins, admissionFlags } from "./admission-plugins.ts";
export { versionConfig, versionFlags } from "./resources/version-flags.ts";
export type { BuiltInHandler, BuiltInResource } from "./built-in-route.ts";
export { bytesResponse, jsonResponse } from "./http/api-request.ts";
export { decodeEntry, encodeObject, splitEntry } from "./resources/encoding.ts";
export { parseJson } from "./http/json-body.ts";
export { parseRequestInfo } from "./request/request-info.ts";
export type { ApiRequest, ApiResponse } from "./http/api-request.ts";
export { parseTokenFile } from "./authentication/token-file.ts";
export { decodeProtobuf, protobufBody } from "./protobuf/index.ts";
export { ConnectionCut } from "./transport/connections/connection-cut.ts";
export { ConnectionGuard } from "./transport/connections/connection-guard.ts";
export { connectionLimits } from "./transport/connections/connection-limits.ts";
export { createWebhookHttpsTransport } from "./admission/webhooks/webhook-https-transport.ts";
export { listenTls, type TlsServer } from "./transport/tls-server.ts";

export interface ApiServerDeps extends ContextDeps {
  /**
   * This server's coordination with the servers that share the store; absent where it is the only
   * server.
   */
  amongServers?: { readonly hostname: string } | undefined;
  /**
   * Returns the number of bytes that the store occupies on the disk; absent: they are not measured.
   */
  storageBytes?: (() => Promise<number>) | undefined;
  /** The metrics that /metrics returns. */
  exposition?: MetricsExposition;
  /** The publisher of changes; without it clients watch over HTTP. */
  changePublisher?: ChangePublisher;
  busCredentials?: BusCredentialIssuer;
  /** The log in which the timeline is stored across restarts. */
  timelineLog?: TimelineLog;
  /** Exports a trace of each recovery; tracing is off when undefined. */
  traceSink?: TraceSink | undefined;
  /** Fetches logs from nodes; without it requests for logs are rejected. */
  kubeletDialer?: KubeletDialer;
  /** Connects to servers of pods; without it the proxies of pods and Services do not work. */
  backendDialer?: BackendDialer;
  /**
   * The client certificate for other API servers, which do not trust this server's headers without
   * the certificate.
   */
  frontProxy?: () => ClientCertificate;
  /**
   * Decides by path whether anonymous requests are admitted. Absent: they are admitted only to the
   * public paths.
   */
  allowsAnonymous?: ((path: string) => boolean) | undefined;
  /** Records requests in the audit log; without it requests are not recorded. */
  auditor?: Auditor | undefined;
  /** The page below /dashboard/; without it the path is not served. */
  dashboard?: Dashboard | undefined;
  /** Further resources that are answered without being stored. */
  builtInResources?: readonly BuiltInResource[] | undefined;
}

export interface ApiServer {
  /** Answers one request. The network is not involved here. */
  readonly handle: Handle;
  /**
   * Creates the initial objects of every cluster, then works until the signal aborts.
   * @throws when the store has failed permanently.
   */
  run(signal: AbortSignal): Promise<void>;
  /** The served kinds. Kinds can be added and removed while the server runs. */
  readonly kinds: Pick<Registry, "add" | "remove">;
  /** Resolves when the server has the initial objects of every cluster, so that it can be used. */
  readonly ready: Promise<void>;
  /** Makes readiness fail from now on, while the server continues to run. */
  leave(): void;
}

/** Assembles the server. Nothing runs before `run`. */
export function createApiServer(deps: ApiServerDeps, options: Partial<ServerOptions> = {}): ApiServer {
  const subresources = createSubresources({ kubelets: deps.kubeletDialer, backends: deps.backendDialer });
  // The usage of nodes and pods is read from their kubelets.
  const kinds = deps.kubeletDialer === undefined ? builtInKinds : [...builtInKinds, ...usageKinds];
  const completed = { ...defaultServerOptions, ...options };
  const encodings = encodingsOf(completed.features);
  const registry = createRegistry(kinds, subresources, { ...completed, encodings });
  const context = createServerContext(deps, registry, completed);
  const server = deps.amongServers?.hostname;
  const journal = new Journal({ clock: deps.clock, log: deps.log, file: deps.timelineLog, server });
  const readiness = createReadiness();
  // A replaced kind can be watched again immediately, so its watches end without an error.
  registry.onRemoved((removed, isReplaced) => {
    context.hub.endAllOf(removed, isReplaced ? undefined : toStatus(pathNotFound()));
  });
  let isLeading = false;
  const mayPublish = deps.amongServers && (() => isLeading && context.freshness.isProven);
  const relay = createRelay(deps, registry, mayPublish);
  const definitions = new ServedDefinitions({ registry, log: deps.log });
  definitions.load(deps.store);
  const definitionLoop = new DefinitionLoop(context);
  const addressLoop = new ServiceAddressLoop(context);
  const aggregation = createAggregation({
    context,
    clock: deps.clock,
    metrics: deps.metrics,
    dialer: deps.backendDialer,
    frontProxy: deps.frontProxy,
  });
  const { traceSink: sink } = deps;
  const traces = sink && new RecoveryTraces({ ...deps, journal, sink }, context.options);
  const flow = createFlowControl(deps, context.options);
  const statusLoop = new StatusLoop(context, serverStatuses(context));
  const observers = [
    definitions,
    definitionLoop,
    aggregation,
    addressLoop,
    statusLoop,
    ...(flow === undefined ? [] : [flow]),
  ];
  followStore(context, { journal, relay, observers });
  const handle = createHandle(deps, context, { journal, readiness, subresources, aggregation, flow });
  return {
    handle,
    kinds: registry,
    ready: readiness.reached,
    leave: () => readiness.leave(),
    run: async (signal) => {
      await ensureAll(context, { aggregation, addressLoop });
      readiness.reach();
      const onLeading = (isNow: boolean) => (isLeading = isNow);
      try {
        await runLoops(
          [
            () => context.store.failed,
            (stop) => context.freshness.run(stop),
            (stop) => runScrubber({ ...context, metrics: deps.metrics }, context.options, stop),
            ...[journal, definitionLoop, addressLoop, statusLoop].map((loop) => (stop: AbortSignal) => loop.run(stop)),
            ...(deps.jwtAuthenticators?.loops ?? []),
            ...aggregation.loops,
            ...singleLoops({ ...deps, context, handle, relay, traces, onLeading }),
          ],
          signal,
        );
      } finally {
        context.hub.close();
      }
    },
  };
}

/** Creates the missing initial objects of every cluster. */
async function ensureAll(
  context: ServerContext,
  parts: { aggregation: Aggregation; addressLoop: ServiceAddressLoop },
): Promise<void> {
  await ensureObjects(context, systemNamespaces);
  if (context.tokens !== undefined) await ensureObjects(context, systemServiceAccounts);
  await ensureObjects(context, [...systemPriorityClasses, ...(bootstrapPolicy() as unknown as KubeObject[])]);
  await parts.aggregation.ensure();
  await parts.addressLoop.ensureDefaultRange();
  if (hasFlowObjects(context.options))
    await ensureObjects(context, bootstrapFlowObjects as readonly unknown[] as readonly KubeObject[]);
}

/** Upstream allows a request to wait for a quarter of its timeout. */
function createFlowControl(deps: ApiServerDeps, options: ServerOptions): FlowControl | undefined {
  if (!options.priorityAndFairness) return undefined;
  const { readsInFlightMax, writesInFlightMax, requestTimeoutMs } = options;
  return new FlowControl(deps, { seats: readsInFlightMax + writesInFlightMax, waitMaxMs: requestTimeoutMs / 4 });
}

interface ServerParts {
  journal: Journal;
  readiness: Readiness;
  subresources: readonly Subresource[];
  aggregation: Aggregation;
  flow: FlowControl | undefined;
}

function createHandle(deps: ApiServerDeps, context: ServerContext, parts: ServerParts): Handle {
  const { journal, readiness, subresources, aggregation, flow } = parts;
  const { clock, log, registry, authorizer, encodings, options } = context;
  // Flow control has one limit for reads and writes together, so requests are only counted here.
  const unlimited = { readsInFlightMax: Infinity, writesInFlightMax: Infinity };
  const limit = new InFlightLimit(flow === undefined ? options : unlimited);
  const bodies = new BodyMemory();
  const stateMetrics = createStateMetrics(deps, context);
  const dialer = deps.kubeletDialer;
  const scraper = dialer && new UsageScraper({ clock, log, dialer });
  const builtIn = builtInRoutes({
    context,
    metrics: deps.metrics,
    journal,
    aggregation,
    readiness,
    scraper,
    busCredentials: deps.busCredentials,
    exposition: deps.exposition,
    dashboard: deps.dashboard,
    others: deps.builtInResources ?? [],
    issuer: issuerOf(deps, options),
    storedValues: deps.storedValues,
    prepareMetrics: () => {
      metrics.setInFlight(limit);
      flow?.setMetrics();
      return stateMetrics();
    },
  });
  const findRemote = (version: string) => aggregation.directory.find(version);
  const findNames = createFindNames({ registry, builtIn: builtIn.resources, findRemote });
  const metrics = new RequestMetrics(deps.metrics, findNames);
  const routes = createRoutes({ context, subresources, builtIn, aggregated: aggregation.route });
  const tokens = {
    authenticate: (token: string) => context.findBearer(token) ?? context.tokens?.authenticate(token),
    allowsAnonymous: deps.allowsAnonymous,
  };
  const { auditor } = deps;
  const { requestTimeoutMs } = options;
  return createApiHandler({
    clock,
    log,
    routes,
    authorizer,
    registry,
    encodings,
    limit,
    flow,
    bodies,
    metrics,
    tokens,
    auditor,
    requestTimeoutMs,
  });
}

/**
 * The documents by which other programs verify tokens, at the address where pods reach this server.
 */
function issuerOf({ serviceAccountTokens }: ApiServerDeps, { advertised }: ServerOptions): IssuerDocuments | undefined {
  if (serviceAccountTokens === undefined) return undefined;
  const { signingKey, keys = [], issuer, keysUri } = serviceAccountTokens;
  const externalAddress = advertised && `${advertised.address}:${advertised.port}`;
  return issuerDocuments({ signingKey, keys, issuer, externalAddress, keysUri });
}

/**
 * The listeners of a change, in this order. All are called before the change's writer is answered.
 */
function followStore(
  context: ServerContext,
  parts: { journal: Journal; relay: Relay | undefined; observers: readonly ChangeObserver[] },
): void {
  const { store, authorizer, quotas, nodeRevisions, hub } = context;
  store.subscribe((changes) => {
    // The authorizer applies a change before any other listener receives it.
    authorizer.observe(changes);
    quotas.observe(changes);
    for (const observer of parts.observers) observer.observe(changes);
    for (const change of changes) {
      const previousOfNode = nodeRevisions.advance(change);
      parts.relay?.publish(change, previousOfNode);
    }
    parts.journal.observe(changes);
  });
  hub.follow(store);
}

interface ChangeObserver {
  observe(changes: readonly CommittedChange[]): void;
}

function createRelay(
  deps: ApiServerDeps,
  registry: Registry,
  mayPublish: (() => boolean) | undefined,
): Relay | undefined {
  const { changePublisher: publisher, store, clock, log, metrics } = deps;
  if (publisher === undefined) return undefined;
  return new Relay({ store, publisher, registry, clock, log, metrics, mayPublish });
}
export { applyPatch } from "./verbs/patch.ts";
