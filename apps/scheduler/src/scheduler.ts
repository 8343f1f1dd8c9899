import {
  type ChangeStream,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  deviceClasses,
  type Lease,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  resourceClaims,
  resourceSlices,
  storageClasses,
  volumeAttachments,
} from "@kintsugi/api";
import { type Client, createEventRecorder, createInformer, type EventRecorder } from "@kintsugi/client";
import {
  fencedClient,
  findServedTypes,
  type LeaderElectionOptions,
  runForElection,
  runTogether,
  TermMetrics,
  type LedControllersDeps,
} from "@kintsugi/controller";
import { ClusterState, defaultPlugins, gatedBy } from "@kintsugi/scheduling";
import { ClusterWatcher } from "./cluster-watcher.ts";
import { compileSelector } from "./devices/cel-selectors.ts";
import { withoutNodesReports } from "./kept-pod.ts";
import { SchedulingQueue, type SchedulingQueueOptions } from "./queue/scheduling-queue.ts";
import { SchedulerMetrics } from "./scheduler-metrics.ts";
import { SchedulingLoop } from "./scheduling-loop.ts";

export interface SchedulerDeps extends LedControllersDeps {
  /** Absent: the informers follow over HTTP. */
  changes?: ChangeStream | undefined;
}

export interface SchedulerOptions {
  /** Pods that name another scheduler are ignored. Default "default-scheduler". */
  schedulerName: string;
  /** Absent: this scheduler works without electing a leader. */
  leaderElection?: LeaderElectionOptions | undefined;
  queue: Partial<SchedulingQueueOptions>;
  /**
   * Allocates devices (feature DynamicResourceAllocation) where the API serves their kinds. Default
   * true.
   */
  devices: boolean;
}

export interface Scheduler {
  /**
   * Schedules until the signal aborts, while it leads. @throws LeadershipLost when it no longer
   * leads, and its work does not end.
   */
  run(signal: AbortSignal): Promise<void>;
  /** True when the first lists have been read. */
  readonly synced: boolean;
}

/** Assigns nodes to pods without a node. Nothing runs before `run`. */
export function createScheduler(deps: SchedulerDeps, options: Partial<SchedulerOptions> = {}): Scheduler {
  return new LedScheduler(deps, {
    schedulerName: "default-scheduler",
    queue: {},
    devices: true,
    ...options,
  });
}

/** Runs `schedule` while this process leads, with the client for its writes. */
type Serve = (signal: AbortSignal, schedule: (signal: AbortSignal, writer: Client) => Promise<void>) => Promise<void>;

class LedScheduler implements Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #options: SchedulerOptions;
  readonly #events: EventRecorder;
  /** The informers of the current candidacy. */
  #informers: readonly { readonly synced: boolean }[] | undefined;

  constructor(deps: SchedulerDeps, options: SchedulerOptions) {
    this.#deps = deps;
    this.#options = options;
    const { client, clock, random, log } = deps;
    this.#events = createEventRecorder({ client, clock, random, log }, { component: options.schedulerName });
  }

  get synced(): boolean {
    return this.#informers?.every(({ synced }) => synced) ?? false;
  }

  async run(signal: AbortSignal): Promise<void> {
    await runTogether(signal, [(ends) => this.#events.run(ends), (ends) => this.#schedule(ends)]);
  }

  async #schedule(signal: AbortSignal): Promise<void> {
    const { client } = this.#deps;
    const { leaderElection } = this.#options;
    if (leaderElection === undefined) {
      await this.#candidacy(signal, (until, schedule) => schedule(until, client));
      return;
    }
    const recordEvent = (lease: Lease, message: string) =>
      this.#events.record(lease, { type: "Normal", reason: "LeaderElection", message });
    await runForElection({ ...this.#deps, recordEvent }, leaderElection, (lead) =>
      this.#candidacy(signal, (until, schedule) =>
        lead(until, (term, leadership) => schedule(term, fencedClient(client, leadership))),
      ),
    );
  }

  /**
   * Follows the cluster, so that it can continue when it becomes the leader, and then schedules.
   * All state begins with the candidacy, because a scheduler that has lost its term has an outdated
   * cluster, and pods with decisions that were not made.
   */
  async #candidacy(signal: AbortSignal, serve: Serve): Promise<void> {
    const { clock, log } = this.#deps;
    const { schedulerName, queue: queueOptions } = this.#options;
    const served = await findServedTypes(this.#deps, this.#options.devices ? [resourceClaims] : [], signal);
    const hasDevices = served.length > 0;
    const state = new ClusterState(hasDevices ? compileSelector : undefined);
    const metrics = new TermMetrics(this.#deps.metrics);
    const schedulerMetrics = new SchedulerMetrics(metrics, schedulerName);
    const queue = new SchedulingQueue(
      {
        clock,
        plugins: defaultPlugins,
        onIncoming: (name, event) => schedulerMetrics.incoming(name, event),
        onRejected: (names, by) => schedulerMetrics.rejected(names, by),
        gatedBy: (pod) => gatedBy(pod, state, defaultPlugins),
      },
      queueOptions,
    );
    const watcher = new ClusterWatcher({ state, log, queue }, { schedulerName });
    const { informers: ofCluster, budgets } = followCluster(this.#deps, watcher);
    const informers = [...ofCluster, ...(hasDevices ? followDevices(this.#deps, watcher) : [])];
    this.#informers = informers;
    const schedule = async (until: AbortSignal, client: Client) => {
      await Promise.all(informers.map((informer) => informer.waitForSync(until)));
      log.info("scheduling", { nodes: state.nodes.length, pods: state.podCount });
      const [plugins, events] = [defaultPlugins, this.#events];
      const deps = { ...this.#deps, client, metrics: schedulerMetrics, events, state, queue, plugins, budgets };
      await new SchedulingLoop(deps).run(until);
    };
    try {
      await runTogether(signal, [
        ...informers.map((informer) => (until: AbortSignal) => informer.run(until)),
        (until) => serve(until, schedule),
      ]);
    } finally {
      queue.stop();
      metrics.end();
    }
  }
}

/**
 * Creates the informers of all kinds on which decisions depend. The watcher gets the relevant
 * changes.
 */
function followCluster(deps: Parameters<typeof createInformer>[0], watcher: ClusterWatcher) {
  const podInformer = createInformer(deps, {
    type: pods,
    keeps: (pod) => watcher.concerns(pod),
    project: withoutNodesReports,
  });
  const nodeInformer = createInformer(deps, { type: nodes });
  const namespaceInformer = createInformer(deps, { type: namespaces });
  const budgetInformer = createInformer(deps, { type: podDisruptionBudgets });
  namespaceInformer.onChange((change) => watcher.onNamespace(change));
  nodeInformer.onChange((change) => watcher.onNode(change));
  podInformer.onChange((change) => watcher.onPod(change));
  return {
    informers: [namespaceInformer, nodeInformer, podInformer, budgetInformer, ...followStorage(deps, watcher)],
    budgets: () => budgetInformer.list(),
  };
}

function followStorage(deps: Parameters<typeof createInformer>[0], watcher: ClusterWatcher) {
  const claims = createInformer(deps, { type: persistentVolumeClaims });
  const volumes = createInformer(deps, { type: persistentVolumes });
  const classes = createInformer(deps, { type: storageClasses });
  claims.onChange((change) => watcher.onClaim(change));
  volumes.onChange((change) => watcher.onVolume(change));
  const drivers = createInformer(deps, { type: csiDrivers });
  const nodesOfDrivers = createInformer(deps, { type: csiNodes });
  const capacities = createInformer(deps, { type: csiStorageCapacities });
  const attachments = createInformer(deps, { type: volumeAttachments });
  classes.onChange((change) => watcher.onStorageClass(change));
  drivers.onChange((change) => watcher.onCsiDriver(change));
  nodesOfDrivers.onChange((change) => watcher.onCsiNode(change));
  capacities.onChange((change) => watcher.onCapacity(change));
  attachments.onChange((change) => watcher.onAttachment(change));
  return [claims, volumes, classes, drivers, nodesOfDrivers, capacities, attachments];
}

function followDevices(deps: Parameters<typeof createInformer>[0], watcher: ClusterWatcher) {
  const claims = createInformer(deps, { type: resourceClaims });
  const classes = createInformer(deps, { type: deviceClasses });
  const slices = createInformer(deps, { type: resourceSlices });
  claims.onChange((change) => watcher.onDeviceClaim(change));
  classes.onChange((change) => watcher.onDeviceClass(change));
  slices.onChange((change) => watcher.onDeviceSlice(change));
  return [claims, classes, slices];
}
