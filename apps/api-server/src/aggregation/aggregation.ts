import type { Metrics } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { CommittedChange } from "@kintsugi/store";
import { ensureObjects } from "../bootstrap/ensure-objects.ts";
import type { BackendDialer } from "../proxy/backend-dialer.ts";
import type { KubeObject } from "../resources/resource.ts";
import type { ServerContext } from "../server-context.ts";
import { type AggregatedRoute, createAggregatedRoute } from "./aggregated-route.ts";
import { AvailabilityLoop } from "./availability-loop.ts";
import { createAvailabilityMetrics } from "./availability-metrics.ts";
import { ensureExtensionAuthentication } from "./extension-authentication.ts";
import { localServices, managedLabel } from "./local-services.ts";
import { RegistrationLoop } from "./registration-loop.ts";
import type { ClientCertificate } from "./remote-caller.ts";
import { RemoteDocuments } from "./remote-documents.ts";
import { ApiServiceDirectory } from "./service-directory.ts";

export interface AggregationDeps {
  readonly context: ServerContext;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly dialer: BackendDialer | undefined;
  readonly frontProxy: (() => ClientCertificate) | undefined;
}

/** Other API servers behind this server. */
export interface Aggregation {
  readonly route: AggregatedRoute;
  readonly directory: ApiServiceDirectory;
  readonly documents: RemoteDocuments;
  /** Applies committed changes, before their writers are answered. */
  observe(changes: readonly CommittedChange[]): void;
  /** Registers the groups of this server. */
  ensure(): Promise<void>;
  readonly loops: readonly ((signal: AbortSignal) => Promise<void>)[];
}

export function createAggregation(deps: AggregationDeps): Aggregation {
  const { context } = deps;
  const directory = new ApiServiceDirectory(managedLabel);
  directory.load(context.store);
  const documents = new RemoteDocuments();
  const measured = createAvailabilityMetrics(deps.metrics);
  const availability = new AvailabilityLoop({ ...deps, directory, documents, measured });
  const registration = new RegistrationLoop(context, directory);
  return {
    route: createAggregatedRoute({ ...deps, directory }),
    directory,
    documents,
    observe: (changes) => {
      const names = directory.observe(changes);
      availability.observe(changes, names);
      registration.observe(changes, names);
    },
    ensure: async () => {
      const own = localServices(context.registry.served.filter(({ isCustom }) => !isCustom));
      await ensureObjects(context, own as unknown as KubeObject[]);
      const { extensionAuthentication } = context.options;
      if (extensionAuthentication !== undefined) await ensureExtensionAuthentication(context, extensionAuthentication);
    },
    loops: [(signal) => availability.run(signal), (signal) => registration.run(signal)],
  };
}
