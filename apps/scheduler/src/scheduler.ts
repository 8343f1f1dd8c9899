import {
  type ChangeStream,
  type Lease,
  type Logger,
  type Metrics,
  namespaces,
  nodes,
  podDisruptionBudgets,
  pods,
} from "@kintsugi/api";
import { type Client, createEventRecorder, createInformer } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import { fencedClient, type LeaderElectionOptions, runAsLeader, runTogether } from "@kintsugi/controller";
import { ClusterState } from "./cluster-state/cluster-state.ts";
import { ClusterWatcher } from "./cluster-state/cluster-watcher.ts";
import { defaultPlugins } from "./framework/default-plugins.ts";
import { SchedulingQueue, type SchedulingQueueOptions } from "./queue/scheduling-queue.ts";
import { SchedulerMetrics } from "./scheduler-metrics.ts";
import { SchedulingLoop } from "./scheduling-loop.ts";

export interface SchedulerDeps {
  client: Client;
  /** Without it the informers follow over HTTP. */
  changes?: ChangeStream | undefined;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
}

export interface SchedulerOptions {
  /** Pods that name another scheduler are left to it. Default "default-scheduler". */
  schedulerName: string;
  /** Absent: this scheduler works without asking for the lead. */
  leaderElection?: LeaderElectionOptions | undefined;
  queue: Partial<SchedulingQueueOptions>;
}

export interface Scheduler {
  /** Schedules until the signal aborts. @throws LeadershipLost when another process has taken over. */
  run(signal: AbortSignal): Promise<void>;
  /** Whether the first lists are in. */
  readonly synced: boolean;
}

/** Gives pods without a node one. Nothing runs until `run`. */
export function createScheduler(deps: SchedulerDeps, options: Partial<SchedulerOptions> = {}): Scheduler {
  const { client, changes, clock, random, log, metrics } = deps;
  const { schedulerName = "default-scheduler", leaderElection } = options;
  const plugins = defaultPlugins;
  const schedulerMetrics = new SchedulerMetrics(metrics, schedulerName);
  const queue = new SchedulingQueue(
    {
      clock,
      plugins,
      onIncoming: (name, event) => schedulerMetrics.incoming(name, event),
      onRejected: (names, by) => schedulerMetrics.rejected(names, by),
    },
    options.queue,
  );
  const state = new ClusterState();
  const watcher = new ClusterWatcher({ state, log, queue }, { schedulerName });
  const { informers, budgets } = followCluster({ client, changes, clock, random, log }, watcher);
  const events = createEventRecorder({ client, clock, random, log }, { component: schedulerName });

  const recordElection = (lease: Lease, message: string) =>
    events.record(lease, { type: "Normal", reason: "LeaderElection", message });

  const schedule = async (signal: AbortSignal, writer: Client) => {
    await Promise.all(informers.map((informer) => informer.waitForSync(signal)));
    log.info("scheduling", { nodes: state.nodes.length, pods: state.podCount });
    const loop = new SchedulingLoop({
      client: writer,
      clock,
      random,
      log,
      metrics: schedulerMetrics,
      events,
      state,
      queue,
      plugins,
      budgets,
    });
    await loop.run(signal);
  };

  return {
    get synced() {
      return informers.every((informer) => informer.synced);
    },
    run: (signal) =>
      runTogether(signal, [
        ...informers.map((informer) => (ends: AbortSignal) => informer.run(ends)),
        (ends) => events.run(ends),
        async (ends) => {
          try {
            if (leaderElection === undefined) await schedule(ends, client);
            else {
              await runAsLeader(
                { client, clock, random, log, metrics, signal: ends, recordEvent: recordElection },
                leaderElection,
                (term, leadership) => schedule(term, fencedClient(client, leadership)),
              );
            }
          } catch (error) {
            if (!ends.aborted) throw error;
          } finally {
            queue.stop();
          }
        },
      ]),
  };
}

/** The informers of all that decisions depend on; the watcher hears of what changes the state. */
function followCluster(deps: Parameters<typeof createInformer>[0], watcher: ClusterWatcher) {
  const podInformer = createInformer(deps, { type: pods });
  const nodeInformer = createInformer(deps, { type: nodes });
  const namespaceInformer = createInformer(deps, { type: namespaces });
  const budgetInformer = createInformer(deps, { type: podDisruptionBudgets });
  namespaceInformer.onChange((change) => watcher.onNamespace(change));
  nodeInformer.onChange((change) => watcher.onNode(change));
  podInformer.onChange((change) => watcher.onPod(change));
  return {
    informers: [namespaceInformer, nodeInformer, podInformer, budgetInformer],
    budgets: () => budgetInformer.list(),
  };
}
