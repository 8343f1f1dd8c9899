import type { TimerProfile } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Calm } from "../calm.ts";
import { DependentsGo, PodsGetBound, PodsGo, RequestsEnd } from "../liveness/in-time.ts";
import type { Copy } from "../liveness/copies.ts";
import { CopiesAgree } from "../liveness/copies-agree.ts";
import { AtRestAgain } from "../liveness/at-rest-again.ts";
import type { Level } from "../liveness/levels.ts";
import { LostNodesAreCalledSo, LostNodesAreLeft } from "../liveness/lost-nodes-leave.ts";
import { WatchesSpeak } from "../liveness/watches-speak.ts";
import { BackoffExact } from "./backoff-exact.ts";
import { BudgetsKept } from "./budgets-kept.ts";
import { CollectedUnowned } from "./collected-unowned.ts";
import { ContainersOnce, EndedStaysEnded, OrphansGo } from "./containers-once.ts";
import { NodesApart } from "./nodes-apart.ts";
import { PodsEnded } from "./pods-ended.ts";
import { PreconditionsHold } from "./preconditions-hold.ts";
import { RunningKept } from "./running-kept.ts";
import { BindingsHold } from "./bindings-hold.ts";
import { Bounded } from "./bounded.ts";
import { NodesReadTheirs } from "./nodes-read-theirs.ts";
import { SecretsKept } from "./secrets-kept.ts";
import { DeletionsEnd } from "./deletions-end.ts";
import { Durable } from "./durable.ts";
import { EndpointsServe } from "./endpoints-serve.ts";
import { EvictionsWait } from "./evictions-wait.ts";
import { EvictionBrake } from "./eviction-brake.ts";
import type { Invariant } from "./invariant.ts";
import type { Known } from "./known.ts";
import { NamespacesClose } from "./namespaces-close.ts";
import { NoCircle } from "./no-circle.ts";
import { NodeHostPorts, NodeRoom } from "./node-room.ts";
import { NodesAllowed } from "./nodes-allowed.ts";
import { OnlyForMoreImportant } from "./only-for-more-important.ts";
import { OwnedCounts } from "./owned-counts.ts";
import { PodAddresses } from "./pod-addresses.ts";
import { PodsEndOnce } from "./pods-end-once.ts";
import { RevisionsFollow } from "./revisions-follow.ts";
import { RolloutsBounded, RolloutsServe } from "./rollouts-bounded.ts";
import type { Hearings } from "./hearing.ts";
import type { SteadyClocks } from "./steady-clocks.ts";
import { SilenceLasts } from "./silence-lasts.ts";
import { UidsAreNew } from "./uids-are-new.ts";

export interface InvariantContext {
  readonly clock: Clock;
  /** The objects as of the change that is being looked at. */
  readonly known: Known;
  readonly timers: TimerProfile;
  readonly calm: Calm;
  readonly clocks: SteadyClocks;
  readonly hearing: Hearings;
  /** Whatever somebody follows the server with at this moment. */
  readonly copies: () => Iterable<Copy>;
  /** How full the work queues are of all that run. */
  readonly levels: () => Iterable<Level>;
  /** Of the store when looking began. */
  readonly revision: number;
}

/** Every invariant there is; each keeps what it has to remember of one cluster. */
export const invariantList: readonly ((context: InvariantContext) => Invariant)[] = [
  () => new Durable(),
  (context) => new RevisionsFollow(context),
  () => new UidsAreNew(),
  () => new PreconditionsHold(),
  () => new DeletionsEnd(),
  () => new NamespacesClose(),
  (context) => new PodsEnded(context),
  () => new BindingsHold(),
  () => new NodeRoom(),
  (context) => new NodeHostPorts(context),
  (context) => new NodesAllowed(context),
  (context) => new OwnedCounts(context),
  (context) => new RolloutsBounded(context),
  (context) => new RolloutsServe(context),
  (context) => new BudgetsKept(context),
  (context) => new OnlyForMoreImportant(context),
  (context) => new CollectedUnowned(context),
  () => new NodesApart(),
  (context) => new NodesReadTheirs(context),
  () => new SecretsKept(),
  (context) => new ContainersOnce(context),
  (context) => new OrphansGo(context),
  (context) => new RunningKept(context),
  () => new PodsEndOnce(),
  (context) => new EndedStaysEnded(context),
  (context) => new BackoffExact(context),
  (context) => new PodAddresses(context),
  (context) => new EndpointsServe(context),
  (context) => new EvictionBrake(context),
  (context) => new CopiesAgree(context),
  (context) => new PodsGetBound(context),
  (context) => new SilenceLasts(context),
  (context) => new EvictionsWait(context),
  (context) => new PodsGo(context),
  (context) => new DependentsGo(context),
  (context) => new LostNodesAreCalledSo(context),
  (context) => new LostNodesAreLeft(context),
  (context) => new RequestsEnd(context),
  (context) => new WatchesSpeak(context),
  (context) => new AtRestAgain(context),
  (context) => new Bounded(context),
  (context) => new NoCircle(context),
];
