import type { Logger } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import type { Entry, Store } from "@kintsugi/store";
import type { Admission } from "./admission/chain/admission-chain.ts";
import type { WaitingRequests } from "./admission/chain/waiting-requests.ts";
import type { ExpressionTurns } from "./admission/expressions/expression-turns.ts";
import type { FindBearer } from "./authentication/bootstrap-tokens.ts";
import type { Authorizer } from "./authorization/authorization.ts";
import type { ServiceAllocator } from "./resources/service-allocator.ts";
import type { QuotaBook } from "./quota/quota-book.ts";
import type { Encodings } from "./http/negotiate.ts";
import type { Conversions } from "./resources/conversions.ts";
import type { Registry } from "./resources/registry.ts";
import type { ServerOptions } from "./server-options.ts";
import type { EncoderPool } from "./watch/encoder-pool.ts";
import type { FreshnessProof } from "./watch/freshness-proof.ts";
import type { NodeRevisions } from "./watch/node-revisions.ts";
import type { ServiceAccountTokens } from "./service-accounts/service-account-tokens.ts";
import type { CommitDurations } from "./metrics/commit-durations.ts";
import type { ListCounts } from "./metrics/list-counts.ts";
import type { WatchHub } from "./watch/hub.ts";

/** The dependencies of verbs and subresources: one per server. */
export interface ServerContext {
  readonly store: Store;
  readonly clock: Clock;
  /** The clock of the cluster, where it differs from the clock of requests. */
  readonly calendar: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly registry: Registry;
  readonly authorizer: Authorizer;
  /** The usage of all quotas. */
  readonly quotas: QuotaBook;
  readonly admission: Admission;
  readonly waitingRequests: WaitingRequests;
  readonly expressionTurns: ExpressionTurns;
  readonly conversions: Conversions;
  readonly hub: WatchHub;
  readonly freshness: FreshnessProof;
  readonly commitDurations: CommitDurations;
  readonly listCounts: ListCounts;
  readonly encoders: EncoderPool;
  readonly nodeRevisions: NodeRevisions;
  readonly allocator: ServiceAllocator;
  /** Undefined without a signing key; service accounts then have no tokens. */
  readonly tokens: ServiceAccountTokens | undefined;
  /**
   * Finds the user of a bearer token that does not belong to a service account: a token of a file,
   * a bootstrap token, or a token of a configured issuer.
   */
  readonly findBearer: FindBearer;
  /** True where the encryption of an entry's value on the disk is not the current encryption. */
  isSealedOtherwise(entry: Pick<Entry, "key" | "revision">): boolean;
  /** The encodings of bodies and answers. */
  readonly encodings: Encodings;
  readonly options: ServerOptions;
}
