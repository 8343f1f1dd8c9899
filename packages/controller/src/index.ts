export { assembleControllers, type Assembly } from "./declare/assemble-controllers.ts";
export {
  type ControllerDefinition,
  controllerDefiner,
  type ControllerInputs,
  type ControllerPlan,
  type ControllerSpec,
  type OwnContext,
  type WithOptions,
} from "./declare/controller-definition.ts";
export type { ControllerParts } from "./declare/controller-parts.ts";
export { type Informers, isSameKind, type Reading, reading } from "./declare/informer-pool.ts";
export { findServedTypes, namedKinds } from "./declare/served-types.ts";
export { on, owns, ownsSelected, type Watch } from "./declare/watch.ts";
export { type EventNote, type RecordEvent, referenceTo } from "./events/event-note.ts";
export { EventRecorders } from "./events/event-recorders.ts";
export { Expectations, type ExpectationState, expectationTimeoutMs } from "./expectations.ts";
export { findAdopters, findController } from "./owners/find-controller.ts";
export type { QueueStarts } from "./queue/queue-starts.ts";
export { QueueController, type QueueControllerDeps, type QueueControllerOptions } from "./queue/queue-controller.ts";
export { type Controller, done, type Reconciler, type ReconcileResult, settled } from "./reconciler.ts";
export { type LedControllersDeps, runLedControllers } from "./run-led-controllers.ts";
export { runOverInformers } from "./run-over-informers.ts";
export { runTogether } from "./run-together.ts";
export { WorkQueue, type WorkQueueDeps, type WorkQueueOptions } from "./queue/work-queue.ts";
export { fencedClient } from "./leader-election/fenced-client.ts";
export { workInTerms } from "./leader-election/work-in-terms.ts";
export {
  type Candidate,
  type Instant,
  type LeaderElectionAction,
  type ObservedLease,
  planLeaderElection,
} from "./leader-election/plan.ts";
export {
  type Lead,
  type LeaderElectionDeps,
  type LeaderElectionOptions,
  type Leadership,
  LeadershipLost,
  type LeaderWork,
  runForElection,
} from "./leader-election/run-for-election.ts";
export { TermMetrics } from "./leader-election/term-metrics.ts";
