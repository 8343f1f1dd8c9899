import {
  apiVersionOf,
  type Counter,
  findCondition,
  type Node,
  type NodeCondition,
  nodes,
  type ObjectReference,
  type Taint,
} from "@kintsugi/api";
import { done, type Reconciler, type ReconcileResult } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import type { ApiContact } from "./api-contact.ts";
import type { ClusterDisruption } from "./cluster-disruption.ts";
import type { EvictionLimiter } from "./eviction-limiter.ts";
import { pauseOf, saysPaused, withEvictionsPaused, zoneOf } from "@kintsugi/rules";
import type { NodeHealthMap } from "./node-health.ts";
import type { NodeView } from "./node-view.ts";
import type { nodeLifecycleOptions } from "./options.ts";
import { graceMs, planUnknownConditions, readyStatus } from "./plan-conditions.ts";
import { type NoExecutePlan, planNoExecute, planTaints } from "./plan-taints.ts";

/** `renewed`: the Lease has changed since it was last read, so this process missed the renewal. */
export type LeaseReading = "renewed" | "unchanged" | "unreadable";

export interface NodeReconcilerDeps {
  context: ControllerContext<typeof nodeLifecycleOptions>;
  view: NodeView;
  health: NodeHealthMap;
  contact: ApiContact;
  disruption: ClusterDisruption;
  limiter: EvictionLimiter;
  /** node_collector_evictions_total. */
  evictions: Counter;
  /** Reads the node's Lease from the API server itself. */
  readLease: (node: string, signal: AbortSignal) => Promise<LeaseReading>;
  /** The counted time at which this process began to observe nodes. */
  startedMs: number;
}

/** Judges one node: its silence, its conditions and taints, and the time of the next reconcile. */
export class NodeReconciler implements Reconciler {
  readonly #deps: NodeReconcilerDeps;
  /**
   * The healthy Nodes whose last reconcile found nothing to do. The only fact about zones that
   * matters to a ready Node is whether all zones are down.
   */
  readonly #steady = new Map<string, { node: Node; allDown: boolean }>();

  constructor(deps: NodeReconcilerDeps) {
    this.#deps = deps;
  }

  async reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult> {
    const seen = this.#deps.view.find(name);
    this.#steady.delete(name);
    if (!seen) return done;
    const graceLeftMs = () => graceMs(seen, this.#deps.context.options) - this.#silentForMs(name);
    const leftMs = graceLeftMs();
    let node = seen;
    if (leftMs <= 0 && planUnknownConditions(seen, 0)) {
      if (!this.#deps.contact.reachable) return { retryAfterMs: this.#periodMs };
      const reading = await this.#deps.readLease(name, signal);
      if (reading !== "unchanged") return { retryAfterMs: reading === "renewed" ? this.#graceMs : this.#periodMs };
      // The informer may have received the renewal in the meantime; a node whose renewal was just
      // received is not silent.
      const stillLeftMs = graceLeftMs();
      if (stillLeftMs > 0) return { retryAfterMs: stillLeftMs };
      node = await this.#markUnknown(seen);
    }
    const taintsAfterMs = await this.#applyTaints(node);
    if (leftMs > 0 && taintsAfterMs === undefined) this.#noteSteady(name, seen);
    const lookAgainMs = Math.min(leftMs > 0 ? leftMs : Infinity, taintsAfterMs ?? Infinity);
    if (!Number.isFinite(lookAgainMs)) return done;
    // Each renewal of the Lease postpones the end of the node's grace period.
    return { retryAfterMs: lookAgainMs, ...(taintsAfterMs === undefined && { kind: "routine" as const }) };
  }

  /**
   * Reports whether another reconcile would have the same result as the last. If so, no reconcile
   * is needed before the Node's grace period has ended.
   */
  isSteady(name: string): boolean {
    const { context, disruption, view } = this.#deps;
    const steady = this.#steady.get(name);
    if (steady === undefined || steady.allDown !== disruption.current.allDown || steady.node !== view.find(name))
      return false;
    return this.#silentForMs(name) < graceMs(steady.node, context.options);
  }

  #noteSteady(name: string, seen: Node): void {
    const { disruption, view } = this.#deps;
    // A write by this reconcile would have changed the view.
    if (view.find(name) !== seen || readyStatus(seen) !== "True") return;
    this.#steady.set(name, { node: seen, allDown: disruption.current.allDown });
  }

  get #periodMs(): number {
    return this.#deps.context.options.nodeMonitorPeriodMs;
  }

  get #graceMs(): number {
    return this.#deps.context.options.nodeMonitorGracePeriodMs;
  }

  #silentForMs(name: string): number {
    return this.#deps.health.silentForMs(name, this.#deps.contact.countedMs());
  }

  async #markUnknown(node: Node): Promise<Node> {
    const { context } = this.#deps;
    const conditions = planUnknownConditions(node, context.clock.nowMs());
    if (!conditions) return node;
    const wasReady = readyStatus(node) === "True";
    const written = await this.#writeConditions(node, conditions);
    context.log.warn("node is silent", { node: node.metadata.name, silentForMs: this.#silentForMs(nameOf(node)) });
    if (wasReady)
      context.recordEvent(nodeEvent(node, "NodeNotReady", `Node ${nameOf(node)} status is now: NodeNotReady`));
    return written;
  }

  /** @returns the time after which the node's taints have to be judged again, if any. */
  async #applyTaints(node: Node): Promise<number | undefined> {
    const { context, disruption, limiter, evictions } = this.#deps;
    const zone = zoneOf(node);
    const wanted = planNoExecute(node, disruption.current.allDown);
    const { plan, retryAfterMs } = this.#admit(node, wanted);
    if (wanted.type !== "set") limiter.withdraw(zone, nameOf(node));

    const taints = planTaints(node, plan, context.clock.nowMs());
    const current = taints === undefined ? node : await this.#writeTaints(node, taints);
    if (plan.type === "set" && plan.rateLimited) evictions.add(1, { zone });
    await this.#announcePause(current, wanted.type === "set" && plan.type === "keep");
    return retryAfterMs;
  }

  /** Decides whether a NoExecute taint that is due may be set now. */
  #admit(node: Node, plan: NoExecutePlan): { plan: NoExecutePlan; retryAfterMs?: number | undefined } {
    if (plan.type !== "set" || !plan.rateLimited) return { plan };
    const { context, contact, disruption, health, limiter, startedMs } = this.#deps;
    const { options } = context;
    const name = nameOf(node);
    // The silence of nodes is unknown for a whole grace period after a start, or after all nodes
    // were down.
    const sinceStartMs = contact.countedMs() - startedMs;
    const knownForMs = readyStatus(node) === "Unknown" ? Math.min(sinceStartMs, this.#silentForMs(name)) : sinceStartMs;
    if (knownForMs < this.#graceMs) return { plan: { type: "keep" }, retryAfterMs: this.#graceMs - knownForMs };

    if (options.announceEvictionPauses) {
      const late = health.silentFor(this.#graceMs / 2, contact.countedMs());
      const soon = disruption.anticipate(late).zones.get(zoneOf(node));
      if (soon?.evictionRate === 0) return { plan: { type: "keep" }, retryAfterMs: this.#periodMs };
    }
    const admission = limiter.request(zoneOf(node), name);
    if (admission.granted) return { plan };
    return { plan: { type: "keep" }, retryAfterMs: admission.retryAfterMs ?? this.#periodMs };
  }

  /**
   * Records on the node that its pods are not evicted because too many nodes are down, and the end
   * of that pause.
   */
  async #announcePause(node: Node, isHeld: boolean): Promise<void> {
    const { context, disruption } = this.#deps;
    if (!context.options.announceEvictionPauses) return;
    const { zones, allDown } = disruption.current;
    const status = readyStatus(node);
    const isDown = (allDown || isHeld) && status !== undefined && status !== "True";
    const pause = isDown ? pauseOf(zones.get(zoneOf(node)), allDown, context.options) : undefined;
    const conditions = withEvictionsPaused(node, pause, context.clock.nowMs());
    if (conditions === node.status?.conditions || (conditions.length === 0 && !node.status?.conditions)) return;
    const wasPaused = saysPaused(node);
    await this.#writeConditions(node, conditions);
    if (pause && !wasPaused) {
      context.recordEvent({ ...nodeEvent(node, "EvictionsPaused", pause.message), type: "Warning" });
    } else if (!pause) {
      context.recordEvent(
        nodeEvent(node, "EvictionsResumed", `Pods of node ${nameOf(node)} are evicted again when it is down`),
      );
    }
  }

  async #writeConditions(node: Node, conditions: NodeCondition[]): Promise<Node> {
    const next: Node = { ...node, status: { ...node.status, conditions } };
    const written = await this.#deps.context.client.update(nodes, next, { subresource: "status" });
    this.#deps.view.wrote(written);
    return written;
  }

  async #writeTaints(node: Node, taints: readonly Taint[]): Promise<Node> {
    const { resourceVersion, uid } = node.metadata;
    const body = { metadata: { resourceVersion, uid }, spec: { taints: taints.length === 0 ? null : taints } };
    const key = { namespace: "", name: nameOf(node) };
    const written = await this.#deps.context.client.patch(nodes, key, { type: "merge", body });
    this.#deps.view.wrote(written);
    return written;
  }
}

export function nodeEvent(node: Node, reason: string, message: string) {
  return { about: nodeReference(node), type: "Normal" as const, reason, message };
}

/** Events about nodes have no resourceVersion, so that repeated events are counted as one. */
function nodeReference(node: Node): ObjectReference {
  const { name, uid } = node.metadata;
  return {
    apiVersion: apiVersionOf(nodes),
    kind: nodes.kind,
    ...(name === undefined ? {} : { name }),
    ...(uid === undefined ? {} : { uid }),
  };
}

function nameOf(node: Node): string {
  return node.metadata.name ?? "";
}

/**
 * Reports whether, according to the API, the kubelet could be serving pods; used to find the time
 * when pods stop being ready.
 */
export function isNodeReady(node: Node): boolean {
  return findCondition(node.status?.conditions, "Ready")?.status === "True";
}
