import {
  controllerOf,
  type DaemonSet,
  daemonSets,
  formatKey,
  keyOf,
  type Node,
  nodes,
  type Pod,
  pods,
  sameJson,
} from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { findAdopters, findController } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { targetNodeOf } from "./daemon-pod.ts";
import { judgeEligibility } from "@kintsugi/rules";
import { SetLedger } from "./set-ledger.ts";

/**
 * Keeps one ledger per set, and marks in each ledger the nodes that a change concerns. Each `note…`
 * returns the keys of the sets that have to be reconciled for the change.
 */
export class SetLedgers {
  readonly #context: ControllerContext;
  /** Ledgers are removed with their sets. */
  readonly #ledgers = new Map<string, SetLedger>();

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  /** The set's ledger. In a new ledger, every node and every pod of the set is marked. */
  open(key: string, set: DaemonSet): SetLedger {
    const { uid = "", namespace = "" } = set.metadata;
    const known = this.#ledgers.get(key);
    if (known?.uid === uid) return known;
    this.drop(key);
    const { clock, enqueue, informers } = this.#context;
    const ledger = new SetLedger(uid, { clock, wake: () => enqueue(key) });
    this.#ledgers.set(key, ledger);
    const copy = informers.of(pods);
    for (const pod of [...copy.byIndex("controller", uid), ...copy.byIndex("orphan", namespace)]) {
      ledger.claimable.add(formatKey(keyOf(pod)));
    }
    return ledger;
  }

  /** Marks every existing node, and every node that a pod of the set names. */
  markAll(ledger: SetLedger): void {
    const { informers } = this.#context;
    ledger.markKnown();
    for (const { metadata } of informers.of(nodes).list()) ledger.mark(metadata.name ?? "");
    for (const pod of informers.of(pods).byIndex("controller", ledger.uid)) {
      const node = targetNodeOf(pod);
      if (node !== undefined) ledger.mark(node);
    }
  }

  drop(key: string): void {
    this.#ledgers.get(key)?.close();
    this.#ledgers.delete(key);
  }

  noteSet({ type, object }: InformerChange<DaemonSet>): string[] {
    const key = formatKey(keyOf(object));
    if (type === "deleted") this.drop(key);
    return [key];
  }

  notePod(change: InformerChange<Pod>): string[] {
    const { type, object: pod } = change;
    const before = type === "modified" ? change.before : undefined;
    const woken = new Set<string>();
    if (before !== undefined) this.#markOwner(before, woken);
    const owned = this.#markOwner(pod, woken);
    if (owned !== undefined) this.#observe(owned, change);
    else if (type !== "deleted" && controllerOf(pod) === undefined && !isSameOrphan(before, pod)) {
      for (const set of findAdopters(pod, this.#context.informers.of(daemonSets), ({ spec }) => spec?.selector)) {
        const key = formatKey(keyOf(set));
        this.#ledgers.get(key)?.claimable.add(formatKey(keyOf(pod)));
        woken.add(key);
      }
    }
    return [...woken];
  }

  noteNode(change: InformerChange<Node>): string[] {
    const { type, object: node } = change;
    const before = type === "modified" ? change.before : undefined;
    if (before !== undefined && isSamePlace(before, node)) return [];
    const name = node.metadata.name ?? "";
    const woken: string[] = [];
    for (const set of this.#context.informers.of(daemonSets).list()) {
      const template = set.spec?.template;
      if (template === undefined) continue;
      if (before !== undefined && sameJson(judgeEligibility(template, before), judgeEligibility(template, node)))
        continue;
      const key = formatKey(keyOf(set));
      this.#ledgers.get(key)?.mark(name);
      woken.push(key);
    }
    return woken;
  }

  /** Marks the pod's node in the ledger of the set that controls it. */
  #markOwner(pod: Pod, woken: Set<string>): SetLedger | undefined {
    const set = findController(pod, daemonSets, this.#context.informers.of(daemonSets));
    if (set === undefined) return undefined;
    const key = formatKey(keyOf(set));
    woken.add(key);
    const ledger = this.#ledgers.get(key);
    const node = targetNodeOf(pod);
    if (node !== undefined) ledger?.mark(node);
    return ledger;
  }

  /** The cache has received a write, of this process or of another client. */
  #observe(ledger: SetLedger, change: InformerChange<Pod>): void {
    const { type, object: pod } = change;
    const { name = "", uid = "", labels, deletionTimestamp } = pod.metadata;
    const node = targetNodeOf(pod) ?? "";
    if (type === "deleted" || deletionTimestamp !== undefined) {
      ledger.expectations.deletionObserved(node, uid);
      ledger.undone.delete(node);
    }
    // A pod that was deleted before the cache received it was created nevertheless.
    ledger.expectations.creationObserved(node, name);
    if (ledger.attempts.get(node)?.name === name) ledger.attempts.delete(node);
    const isRelabelled = type === "modified" && !sameJson(change.before.metadata.labels, labels);
    if (type === "added" || isRelabelled) ledger.claimable.add(formatKey(keyOf(pod)));
  }
}

function isSameOrphan(before: Pod | undefined, pod: Pod): boolean {
  if (before === undefined || controllerOf(before) !== undefined) return false;
  return sameJson(before.metadata.labels, pod.metadata.labels);
}

/**
 * Reports whether a change of a Node, such as a heartbeat, leaves unchanged everything that decides
 * where pods run.
 */
function isSamePlace(before: Node, node: Node): boolean {
  return (
    sameJson(before.metadata.labels ?? {}, node.metadata.labels ?? {}) &&
    sameJson(before.spec?.taints ?? [], node.spec?.taints ?? [])
  );
}
