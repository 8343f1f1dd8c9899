import type { Logger, Metrics } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import type { Store, StoredValues } from "@kintsugi/store";
import type { JwtAuthenticators } from "./authentication/jwt/jwt-authenticators.ts";
import { type FindBearer, findBootstrapToken } from "./authentication/bootstrap-tokens.ts";
import type { AnyAdmissionStep } from "./admission/admission.ts";
import { createAdmission } from "./admission/chain/admission-chain.ts";
import { admissionSteps } from "./admission/steps.ts";
import { ExpressionTurns } from "./admission/expressions/expression-turns.ts";
import { WaitingRequests } from "./admission/chain/waiting-requests.ts";
import { WebhookCaller } from "./admission/webhooks/webhook-caller.ts";
import type { WebhookTransport } from "./admission/webhooks/webhook-transport.ts";
import { createAuthorizer } from "./authorization/index.ts";
import { WebhookConversions } from "./custom-resources/conversion/webhook-conversions.ts";
import { ServiceAllocator } from "./resources/service-allocator.ts";
import { encodingsOf } from "./http/negotiate.ts";
import type { Registry } from "./resources/registry.ts";
import { QuotaBook } from "./quota/quota-book.ts";
import { locateWebhook } from "./proxy/locate-backend.ts";
import type { ServerContext } from "./server-context.ts";
import { CommitDurations } from "./metrics/commit-durations.ts";
import { ListCounts } from "./metrics/list-counts.ts";
import type { ServerOptions } from "./server-options.ts";
import { ServiceAccountTokens, type TokenOptions } from "./service-accounts/service-account-tokens.ts";
import { EncoderPool } from "./watch/encoder-pool.ts";
import { FreshnessProof } from "./watch/freshness-proof.ts";
import { WatchHub } from "./watch/hub.ts";
import { NodeRevisions } from "./watch/node-revisions.ts";

/** The entry points of a server for its verbs, from which the context is made. */
export interface ContextDeps {
  store: Store;
  clock: Clock;
  /**
   * The clock of the cluster, by which events expire and clients of this process watch; absent:
   * `clock`.
   */
  calendar?: Clock | undefined;
  random: Random;
  log: Logger;
  metrics: Metrics;
  /** The issuer of service account tokens; without it pods cannot access the API. */
  serviceAccountTokens?: TokenOptions;
  /** Calls webhooks; each webhook call fails if it is absent. */
  webhookTransport?: WebhookTransport;
  /** Finds the users of a token file, before any other token is compared. */
  staticTokens?: FindBearer | undefined;
  /** Finds the users of tokens of configured issuers. */
  jwtAuthenticators?: JwtAuthenticators | undefined;
  /**
   * The form of values in snapshots, which is the form on the store's disk; absent for unchanged
   * values.
   */
  storedValues?: (StoredValues & Partial<Pick<ServerContext, "isSealedOtherwise">>) | undefined;
  /** Admission rules in addition to the server's own rules, which precede them. */
  admissionSteps?: readonly AnyAdmissionStep[];
}

/** The dependencies of verbs and subresources, made from a server's dependencies. */
export function createServerContext(deps: ContextDeps, registry: Registry, options: ServerOptions): ServerContext {
  const { store, clock, random, log, metrics } = deps;
  const authorizer = createAuthorizer({ store });
  const { serviceAccountTokens } = deps;
  const tokens = serviceAccountTokens && new ServiceAccountTokens({ store, clock, random }, serviceAccountTokens);
  const quotas = new QuotaBook({ store, clock });
  const webhookCaller = createWebhookCaller(deps, options);
  const expressionTurns = new ExpressionTurns({ clock });
  const hub = new WatchHub({ clock });
  const allocator = new ServiceAllocator({ store, random, nowMs: () => clock.monotonicMs() });
  return {
    store,
    clock,
    calendar: deps.calendar ?? clock,
    random,
    log,
    registry,
    authorizer,
    quotas,
    admission: createAdmission({ clock, log, metrics, expressionTurns }, [
      ...admissionSteps(
        {
          authorizer,
          registry,
          store,
          random,
          clock,
          metrics,
          quotas,
          allocator,
          hasTokens: tokens !== undefined,
          webhookCaller,
        },
        options,
      ),
      ...(deps.admissionSteps ?? []),
    ]),
    conversions: createConversions(deps, options),
    expressionTurns,
    waitingRequests: new WaitingRequests({ clock }, options),
    hub,
    freshness: new FreshnessProof({ store, hub, clock, log }),
    commitDurations: new CommitDurations(metrics),
    listCounts: new ListCounts(metrics),
    encoders: new EncoderPool({ clock }),
    nodeRevisions: new NodeRevisions({ store, registry }),
    allocator,
    tokens,
    findBearer: createFindBearer(deps),
    isSealedOtherwise: (entry) => deps.storedValues?.isSealedOtherwise?.(entry) === true,
    encodings: encodingsOf(options.features),
    options,
  };
}

/** The tokens of a file are compared first because that costs least. */
function createFindBearer(deps: ContextDeps): FindBearer {
  const findBootstrap = findBootstrapToken(deps);
  const { staticTokens, jwtAuthenticators } = deps;
  return (token) => staticTokens?.(token) ?? findBootstrap(token) ?? jwtAuthenticators?.authenticate(token);
}

function createWebhookCaller(deps: ContextDeps, options: ServerOptions): WebhookCaller {
  return new WebhookCaller(webhookDeps(deps), webhookLimits(options));
}

function createConversions(deps: ContextDeps, options: ServerOptions): WebhookConversions {
  return new WebhookConversions(webhookDeps(deps), webhookLimits(options));
}

function webhookDeps(deps: ContextDeps) {
  return {
    ...deps,
    transport: deps.webhookTransport,
    locateService: (service: { namespace: string; name: string; port: number }) => locateWebhook(deps, service),
  };
}

/**
 * A webhook that hangs occupies at most half of all writes. The other half remains for writes that
 * it does not match.
 */
function webhookLimits({ writesInFlightMax }: ServerOptions) {
  return { callsMax: Math.max(1, Math.floor(writesInFlightMax / 2)) };
}
