import type { Pod } from "@kintsugi/api";
import type { Clock, Timer } from "@kintsugi/clock";
import { Expectations } from "@kintsugi/controller";
import { FailedPodBackoff } from "./failed-pod-backoff.ts";
import type { NodeCounts, NodeJudgement, Removal } from "./judge-node.ts";
import type { RolloutStep } from "./plan-rolling.ts";
import type { SetSums } from "./plan-steps.ts";

// The judgements of a set's nodes and their sums, so that the cost of a pass depends on the number
// of changes:
//
//   event of a node or a pod ──mark──► marked nodes ──judge──► one judgement each ──► sums
//
// Everything here is derived from the caches; a new process judges every node once.

/** Keeps the judgements of one set's nodes with their sums. */
export class SetLedger implements SetSums {
  readonly uid: string;
  /** The writes for each node that the caches do not contain yet, by the name of the node. */
  readonly expectations: Expectations;
  /** Pods whose creation was sent, by the name of the node, until the cache contains them. */
  readonly attempts = new Map<string, { name: string }>();
  readonly backoff: FailedPodBackoff;
  readonly counts: NodeCounts;
  readonly creates = new Set<string>();
  readonly removals = new Map<string, readonly Removal[]>();
  readonly rollout: Record<RolloutStep["when"], Map<string, RolloutStep>>;
  /** Keys of pods that the set may have to adopt or release. */
  readonly claimable = new Set<string>();
  /** Pods whose deletion has an unknown outcome, by the name of the node. */
  readonly undone = new Map<string, Pod>();
  /** Nodes with writes of unknown outcome, which only a live read can settle. */
  readonly doubted = new Set<string>();
  /** The generation and the revision on which all judgements are based. */
  #judgedBy = "";
  readonly #clock: Clock;
  readonly #wake: () => void;
  readonly #judgements = new Map<string, NodeJudgement>();
  readonly #marked = new Set<string>();
  readonly #timers = new Map<string, Timer>();

  /** @param deps `wake` is called when time alone has changed a judgement. */
  constructor(uid: string, { clock, wake }: { clock: Clock; wake: () => void }) {
    this.uid = uid;
    this.#clock = clock;
    this.#wake = wake;
    this.expectations = new Expectations({ clock });
    this.backoff = new FailedPodBackoff({ clock });
    this.counts = { desired: 0, current: 0, misscheduled: 0, ready: 0, available: 0, updated: 0, used: 0, serving: 0 };
    this.rollout = { now: new Map(), room: new Map(), enough: new Map() };
  }

  /** Reports whether the set differs from the set by which the nodes were judged. */
  judgesAnew(by: string): boolean {
    if (by === this.#judgedBy) return false;
    this.#judgedBy = by;
    this.backoff.reset();
    return true;
  }

  /** Marks the node, so that it is judged again. */
  mark(node: string): void {
    this.#marked.add(node);
  }

  /** Marks every node that has been judged, some of which may no longer exist. */
  markKnown(): void {
    for (const node of this.#judgements.keys()) this.#marked.add(node);
  }

  takeMarked(): string[] {
    const marked = [...this.#marked];
    this.#marked.clear();
    return marked;
  }

  /** Undefined removes the node from the sums. */
  put(node: string, judgement: NodeJudgement | undefined): void {
    this.#add(this.#judgements.get(node)?.counts, -1);
    this.#timers.get(node)?.cancel();
    this.#timers.delete(node);
    this.creates.delete(node);
    this.removals.delete(node);
    for (const steps of Object.values(this.rollout)) steps.delete(node);
    if (judgement === undefined) {
      this.#judgements.delete(node);
      return;
    }
    this.#judgements.set(node, judgement);
    this.#add(judgement.counts, 1);
    if (judgement.create) this.creates.add(node);
    if (judgement.remove.length > 0) this.removals.set(node, judgement.remove);
    if (judgement.rollout !== undefined) this.rollout[judgement.rollout.when].set(node, judgement.rollout);
    if (judgement.recheckAfterMs !== undefined) this.#recheck(node, judgement.recheckAfterMs);
  }

  /** Removes a node that no longer exists, together with the set's pods on that node. */
  forget(node: string): void {
    this.put(node, undefined);
    this.attempts.delete(node);
    this.undone.delete(node);
    this.backoff.forget(node);
  }

  /** Ends the ledger of a set that no longer exists. */
  close(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  #recheck(node: string, delayMs: number): void {
    const timer = this.#clock.after(delayMs, () => {
      this.#timers.delete(node);
      this.mark(node);
      this.#wake();
    });
    this.#timers.set(node, timer);
  }

  #add(counts: NodeCounts | undefined, sign: 1 | -1): void {
    if (counts === undefined) return;
    for (const name of Object.keys(counts) as (keyof NodeCounts)[]) this.counts[name] += sign * counts[name];
  }
}
