import {
  configMaps,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  formatTimestamp,
  isApiError,
  type Logger,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  daemonSets,
  storageClasses,
  volumeAttachments,
  messageOf,
} from "@kintsugi/api";
import { isCloudError } from "@kintsugi/cloud";
import type { Informers } from "@kintsugi/controller";
import type { AutoscalerOptions } from "./model/options.ts";
import { emptyMemory, type Memory, type World } from "./model/world.ts";
import { perform, type PerformDeps } from "./perform-actions.ts";
import { type Action, afterFailure, type Look, planLook } from "./plan/plan-look.ts";
import { autoscalerStatus, type WrittenStatus } from "./status-text.ts";

const statusKey = { namespace: "kube-system", name: "cluster-autoscaler-status" };
const lastUpdatedAnnotation = "cluster-autoscaler.kubernetes.io/last-updated";
/**
 * Interval after which an unchanged status is written again, so that its times prove that
 * inspections continue.
 */
const statusRefreshMs = 60_000;

export interface LookDeps extends PerformDeps {
  informers: Informers;
  log: Logger;
}

/** Periodically inspects the cluster. Its state in memory only causes delays when it is lost. */
export class LookLoop {
  readonly #deps: LookDeps;
  readonly #options: AutoscalerOptions;
  #memory: Memory = emptyMemory;
  /** An event about a pod that cannot be helped is not repeated at every inspection. */
  #reported = new Map<string, string>();
  #status: WrittenStatus | undefined;

  constructor(deps: LookDeps, options: AutoscalerOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** One inspection. Errors of the cloud or of the API are retried at the next inspection. */
  async look(signal: AbortSignal): Promise<void> {
    const { cloud, clock, log } = this.#deps;
    try {
      const { groups } = await cloud.listNodeGroups({}, signal);
      const { instances } = await cloud.listInstances({}, signal);
      const world = this.#read(groups, new Set(instances.map(({ providerId }) => providerId)));
      const look = planLook(world, this.#memory, { options: this.#options, nowMs: clock.nowMs() });
      this.#memory = look.memory;
      for (const action of this.#news(look.actions)) await this.#perform(action, signal);
      await this.#writeStatus(world, look, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (!isCloudError(error) && !isApiError(error)) throw error;
      log.warn("the evaluation of the cluster is abandoned", { error });
    }
  }

  #read(groups: World["groups"], instances: World["instances"]): World {
    const { informers } = this.#deps;
    return {
      nodes: informers.of(nodes).list(),
      pods: informers.of(pods).list(),
      namespaces: informers.of(namespaces).list(),
      budgets: informers.of(podDisruptionBudgets).list(),
      daemonSets: informers.of(daemonSets).list(),
      claims: informers.of(persistentVolumeClaims).list(),
      volumes: informers.of(persistentVolumes).list(),
      classes: informers.of(storageClasses).list(),
      csiDrivers: informers.of(csiDrivers).list(),
      csiNodes: informers.of(csiNodes).list(),
      capacities: informers.of(csiStorageCapacities).list(),
      attachments: informers.of(volumeAttachments).list(),
      groups,
      instances,
    };
  }

  async #perform(action: Action, signal: AbortSignal): Promise<void> {
    try {
      await perform(this.#deps, action, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      this.#deps.log.warn("an action failed", { action: action.do, error });
      // The desired size has changed because the answer to an earlier order was lost. That order
      // counts.
      if (action.do !== "resize" || isCloudError(error, "Conflict")) return;
      const groups = new Map(this.#memory.groups);
      const { name } = action.group;
      groups.set(name, afterFailure(groups.get(name), this.#options, this.#deps.clock.nowMs()));
      this.#memory = { ...this.#memory, groups };
      const message = messageOf(error);
      for (const pod of action.pods)
        await perform(this.#deps, { do: "report unhelped", pod, because: `${name}: ${message}` }, signal);
    }
  }

  #news(actions: readonly Action[]): Action[] {
    const reported = new Map<string, string>();
    const news = actions.filter((action) => {
      if (action.do !== "report unhelped") return true;
      const { uid = "" } = action.pod.metadata;
      reported.set(uid, action.because);
      return this.#reported.get(uid) !== action.because;
    });
    this.#reported = reported;
    return news;
  }

  async #writeStatus(world: World, look: Look, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#deps;
    const before = this.#status;
    const nowMs = clock.nowMs();
    const status = autoscalerStatus(world, { ...look, memory: this.#memory }, { nowMs, before });
    if (status.content === before?.content && nowMs - before.writtenMs < statusRefreshMs) return;
    const present = await client.find(configMaps, statusKey, { signal });
    const annotations = { [lastUpdatedAnnotation]: formatTimestamp(nowMs) };
    const data = { status: status.text() };
    if (present === undefined)
      await client.create(configMaps, { metadata: { ...statusKey, annotations }, data }, { signal });
    else
      await client.update(configMaps, { ...present, metadata: { ...present.metadata, annotations }, data }, { signal });
    this.#status = status;
  }
}
