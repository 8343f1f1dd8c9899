import { countedNoun } from "@kintsugi/api";
import type { Answer } from "../outcomes/summarize.ts";
import { lastingText, secondsText, shortRefusal } from "./words.ts";

/**
 * A node that was a question, with the reason why it is needed; empty if the node is not needed.
 */
export interface NodeNeed {
  readonly node: string;
  readonly because: string;
}

/** Finds whether the cluster needs each node whose failure was a question. */
export function nodeNeeds(answers: readonly Answer[]): NodeNeed[] {
  return answers.flatMap((answer) => {
    const { question } = answer;
    const [node, ...others] = question.kind === "nodes-off" ? question.nodes : [];
    return node === undefined || others.length > 0 ? [] : [{ node, because: whyNot(answer) }];
  });
}

/** The first reason why the nodes of a question are needed; empty if the nodes are not needed. */
function whyNot({ workloads, pending, stuck, aftermath }: Answer): string {
  const down = workloads.filter(({ downtime }) => downtime.worst > 0);
  const [first] = down;
  const more = down.length > 1 ? `, and ${countedNoun(down.length - 1, "more workload")}` : "";
  if (first !== undefined) {
    const until = first.downAtEnd > 0 ? "and does not recover" : `for ${secondsText(first.downtime.worst)}`;
    return `${first.workload} is down ${until}${more}`;
  }
  const [unplaced] = pending;
  if (unplaced !== undefined)
    return `${countedNoun(pending.length, "pod")} ${pending.length === 1 ? "fits" : "fit"} nowhere else (${unplaced.workload}: ${shortRefusal(unplaced.because)})`;
  const broken = workloads.filter(({ degradedAtEnd, kind }) => degradedAtEnd > 0 && kind !== "DaemonSet");
  const [weaker] = broken;
  const below = workloads.find(({ belowBudget }) => belowBudget.worst > 0);
  if (weaker === undefined && below !== undefined)
    return `${below.workload} is below its budget ${lastingText(below.belowBudget.worst, below.belowBudgetAtEnd)}`;
  const [lost] = aftermath.lostWork;
  if (weaker === undefined) return lost === undefined ? "" : `${lost.workload} loses work`;
  const refusal = weaker.chain.find(({ is }) => is === "refused")?.what;
  const held = refusal ?? stuck.find(({ workload }) => workload === weaker.workload)?.because;
  return `${weaker.workload} keeps fewer pods than before${held === undefined ? "" : `: ${held}`}`;
}
