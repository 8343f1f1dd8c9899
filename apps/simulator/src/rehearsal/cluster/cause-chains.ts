import { findCondition, isPodReady, type Node, type Pod } from "@kintsugi/api";
import { type CauseKind, type CauseStep, shortRefusal } from "@kintsugi/rehearsal";

interface PodState {
  readonly nodeName: string;
  readonly isReady: boolean;
  readonly isLeaving: boolean;
  readonly refusal: string;
}

/** A longer chain does not explain more. */
const stepsMax = 12;

/** Reports for each workload, step by step, the events of its pods after a fault. */
export class CauseChains {
  readonly #workloadOf: (pod: Pod) => string;
  readonly #chains = new Map<string, CauseStep[]>();
  readonly #pods = new Map<string, PodState>();
  readonly #workloadsOn = new Map<string, Set<string>>();
  readonly #unknown = new Set<string>();
  readonly #refusals = new Set<string>();
  #hasBegun = false;

  constructor(workloadOf: (pod: Pod) => string) {
    this.#workloadOf = workloadOf;
  }

  begin(pods: Iterable<Pod>): void {
    this.#hasBegun = true;
    for (const pod of pods) {
      this.#pods.set(pod.metadata.uid ?? "", stateOf(pod));
      const on = this.#workloadsOn.get(pod.spec?.nodeName ?? "") ?? new Set();
      on.add(this.#workloadOf(pod));
      this.#workloadsOn.set(pod.spec?.nodeName ?? "", on);
    }
  }

  of(workload: string): readonly CauseStep[] {
    return this.#chains.get(workload) ?? [];
  }

  /** @param turn "fails", "is cut off", "is back". */
  nodeTurns(name: string, turn: string, atMs: number): void {
    const is = turn === "is back" ? "back" : "lost";
    for (const workload of this.#workloadsOn.get(name) ?? [])
      this.#add(workload, { atMs, is, what: `node ${name} ${turn}` });
  }

  observeNode(node: Node, atMs: number): void {
    if (!this.#hasBegun) return;
    const { name = "" } = node.metadata;
    const isUnknown = findCondition(node.status?.conditions, "Ready")?.status === "Unknown";
    if (!isUnknown) {
      this.#unknown.delete(name);
      return;
    }
    if (this.#unknown.has(name)) return;
    this.#unknown.add(name);
    for (const workload of this.#workloadsOn.get(name) ?? [])
      this.#add(workload, { atMs, is: "noticed", what: `the cluster detects that ${name} is silent` });
  }

  observePod(pod: Pod, type: "put" | "delete", atMs: number): void {
    if (!this.#hasBegun) return;
    const { uid = "", name = "" } = pod.metadata;
    const before = this.#pods.get(uid);
    const after = stateOf(pod);
    this.#pods.set(uid, after);
    const workload = this.#workloadOf(pod);
    const tell = (is: CauseKind, what: string) => this.#add(workload, { atMs, is, what: `pod ${name} ${what}` });
    if (type === "delete") return this.#pods.has(uid) && after.nodeName === "" ? undefined : tell("gone", "is removed");
    if (before === undefined) return tell("made", "is created");
    if (after.isLeaving && !before.isLeaving) tell("told", `is marked for deletion on ${after.nodeName}`);
    if (after.nodeName !== before.nodeName) tell("placed", `is bound to ${after.nodeName}`);
    if (after.refusal !== "" && after.refusal !== before.refusal)
      tell("refused", `fits nowhere: ${shortRefusal(after.refusal)}`);
    if (after.isReady && !before.isReady) tell("ready", "is Ready");
  }

  /** A pod could not be created at all. */
  observeRefusal(workload: string, message: string, atMs: number): void {
    const key = `${workload} ${message.replaceAll(/"[^"]*"/g, "")}`;
    if (!this.#hasBegun || this.#refusals.has(key)) return;
    this.#refusals.add(key);
    this.#add(workload, { atMs, is: "refused", what: `no pod can be created: ${message}` });
  }

  #add(workload: string, step: CauseStep): void {
    const chain = this.#chains.get(workload) ?? [];
    if (chain.length < stepsMax) chain.push(step);
    this.#chains.set(workload, chain);
  }
}

function stateOf(pod: Pod): PodState {
  const scheduled = findCondition(pod.status?.conditions, "PodScheduled");
  return {
    nodeName: pod.spec?.nodeName ?? "",
    isReady: isPodReady(pod),
    isLeaving: pod.metadata.deletionTimestamp !== undefined,
    refusal: scheduled?.status === "False" ? (scheduled.message ?? "") : "",
  };
}
