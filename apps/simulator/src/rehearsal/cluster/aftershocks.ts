import { findCondition, isPodActive, isPodBound, isPodReady, parseTimestamp, type Job, type Pod } from "@kintsugi/api";
import type { Aftermath, LostWork } from "@kintsugi/rehearsal";

/** Maximum number of pod names; more names would not change the report. */
const namesMax = 200;

/** Observes the aftershocks of a fault: bursts of starts, second moves, and lost work. */
export class Aftershocks {
  readonly #workloadOf: (pod: Pod) => { readonly name: string; readonly kind: string };
  /** The pods from before the fault, by UID. */
  readonly #earlier = new Set<string>();
  /** The nodes of the pods that are starting, by UID. */
  readonly #starting = new Map<string, string>();
  readonly #perNode = new Map<string, number>();
  #starts = { most: 0, node: "", onNode: 0 };
  readonly #pulls = new Map<string, { pulls: number; waitedMs: number }>();
  readonly #movedTwice = new Set<string>();
  readonly #preempted = new Set<string>();
  readonly #lostWork = new Map<string, LostWork>();
  readonly #failedJobs = new Map<string, string>();
  #hasBegun = false;

  constructor(workloadOf: (pod: Pod) => { readonly name: string; readonly kind: string }) {
    this.#workloadOf = workloadOf;
  }

  begin(pods: Iterable<Pod>): void {
    this.#hasBegun = true;
    for (const { metadata } of pods) this.#earlier.add(metadata.uid ?? "");
  }

  /** @param nowMs the cluster's own time. */
  observePod(pod: Pod, type: "put" | "delete", nowMs: number): void {
    if (!this.#hasBegun) return;
    const isLeaving = type === "delete" || pod.metadata.deletionTimestamp !== undefined || !isPodActive(pod);
    this.#observeStart(pod, isLeaving);
    if (!isLeaving) return;
    const key = keyOf(pod);
    const isEarlier = this.#earlier.has(pod.metadata.uid ?? "");
    if (!isEarlier && isPodBound(pod) && pod.status?.phase !== "Succeeded") this.#note(this.#movedTwice, key);
    if (findCondition(pod.status?.conditions, "DisruptionTarget")?.reason === "PreemptionByScheduler")
      this.#note(this.#preempted, key);
    if (isEarlier) this.#observeWork(pod, nowMs);
  }

  /** @param waitedMs the time that the pod waited for the pulls of other pods. */
  observePull(node: string, waitedMs: number): void {
    if (!this.#hasBegun) return;
    const { pulls = 0, waitedMs: longest = 0 } = this.#pulls.get(node) ?? {};
    this.#pulls.set(node, { pulls: pulls + 1, waitedMs: Math.max(longest, waitedMs) });
  }

  observeJob({ metadata, status }: Job): void {
    const failed = findCondition(status?.conditions, "Failed");
    if (this.#hasBegun && failed?.status === "True")
      this.#failedJobs.set(`${metadata.namespace}/job/${metadata.name}`, failed.reason ?? "it has failed");
  }

  aftermath(wholeMs: number | undefined): Aftermath {
    const [queue] = [...this.#pulls]
      .map(([node, own]) => ({ node, ...own }))
      .toSorted((a, b) => b.waitedMs - a.waitedMs || (a.node < b.node ? -1 : 1));
    return {
      ...(wholeMs === undefined ? {} : { wholeMs }),
      starts: this.#starts,
      ...(queue === undefined || queue.waitedMs === 0 ? {} : { pullQueue: queue }),
      movedTwice: [...this.#movedTwice].toSorted(),
      preempted: [...this.#preempted].toSorted(),
      lostWork: [...this.#lostWork.values()].map((lost) => {
        const failed = this.#failedJobs.get(lost.workload);
        return failed === undefined ? lost : { ...lost, failed };
      }),
    };
  }

  #observeStart(pod: Pod, isLeaving: boolean): void {
    const uid = pod.metadata.uid ?? "";
    const { nodeName = "" } = pod.spec ?? {};
    const isStarting = !isLeaving && isPodBound(pod) && !isPodReady(pod) && !this.#earlier.has(uid);
    const known = this.#starting.get(uid);
    if (isStarting === (known !== undefined)) return;
    const node = known ?? nodeName;
    const onNode = (this.#perNode.get(node) ?? 0) + (isStarting ? 1 : -1);
    this.#perNode.set(node, onNode);
    if (!isStarting) return void this.#starting.delete(uid);
    this.#starting.set(uid, nodeName);
    if (this.#starting.size <= this.#starts.most) return;
    const [fullest = ["", 0]] = [...this.#perNode].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    this.#starts = { most: this.#starting.size, node: fullest[0], onNode: fullest[1] };
  }

  #observeWork(pod: Pod, nowMs: number): void {
    const { name, kind } = this.#workloadOf(pod);
    const { phase, startTime } = pod.status ?? {};
    if (kind !== "Job" || phase === "Succeeded" || startTime === undefined || this.#lostWork.has(keyOf(pod))) return;
    const ranMs = nowMs - parseTimestamp(startTime);
    if (this.#lostWork.size < namesMax) this.#lostWork.set(keyOf(pod), { workload: name, pod: keyOf(pod), ranMs });
  }

  #note(set: Set<string>, key: string): void {
    if (set.size < namesMax) set.add(key);
  }
}

function keyOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
