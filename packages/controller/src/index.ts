export { Expectations, type ExpectationState, expectationTimeoutMs } from "./expectations.ts";
export { QueueController, type QueueControllerDeps, type QueueControllerOptions } from "./queue-controller.ts";
export { type Controller, done, type Reconciler, type ReconcileResult } from "./reconciler.ts";
export { runTogether } from "./run-together.ts";
export { WorkQueue, type WorkQueueDeps, type WorkQueueOptions } from "./work-queue.ts";
export { fencedClient } from "./leader-election/fenced-client.ts";
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
