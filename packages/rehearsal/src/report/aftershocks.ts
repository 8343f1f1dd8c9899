import { countedNoun, textTable } from "@kintsugi/api";
import type { LostWork } from "../outcomes/aftermath.ts";
import type { Answer } from "../outcomes/summarize.ts";
import { endlessShare, secondsText } from "./words.ts";

/** A table of all questions that had an effect, the longest-lasting first. */
export function aftershockLines(answers: readonly Answer[], shownMax: number): string[] {
  const felt = answers
    .filter(({ aftermath }) => aftermath.whole.worst > 0 || aftermath.neverWhole > 0)
    .toSorted((a, b) => b.aftermath.neverWhole - a.aftermath.neverWhole || wholeMs(b) - wholeMs(a));
  if (felt.length === 0) return [];
  const more = felt.length - shownMax;
  return [
    ...textTable(
      ["IF", "RECOVERED P50", "P95", "SIMULTANEOUS STARTS", "ON ONE NODE", "MOVED TWICE", "PREEMPTED"],
      felt.slice(0, shownMax).map(aftershockCells),
      { gap: 2 },
    ),
    ...(more > 0 ? [`and ${more} more; -o json has all of them`] : []),
  ];
}

function aftershockCells({ question, aftermath }: Answer): string[] {
  const { whole, neverWhole, starts, movedTwice, preempted } = aftermath;
  return [
    question.about,
    neverWhole > 0.5 ? "never" : secondsText(whole.p50),
    neverWhole > endlessShare ? "never" : secondsText(whole.p95),
    String(starts.most),
    starts.most === 0 ? "" : `${starts.onNode} on ${starts.node}`,
    String(movedTwice.length),
    String(preempted.length),
  ];
}

function wholeMs({ aftermath }: Answer): number {
  return aftermath.whole.p95;
}

/** Sentences about whether Jobs have to repeat work. */
export function lostWorkLines(answers: readonly Answer[]): string[] {
  return answers.flatMap(({ question, aftermath }) => {
    const byJob = new Map<string, LostWork[]>();
    for (const lost of aftermath.lostWork) byJob.set(lost.workload, [...(byJob.get(lost.workload) ?? []), lost]);
    return [...byJob].map(([job, all]) => {
      const ranMs = Math.max(...all.map((each) => each.ranMs));
      const failed = all.find((each) => each.failed !== undefined)?.failed;
      const end = failed === undefined ? "repeats" : `fails permanently (${failed}) and loses`;
      return `if ${question.about}: ${job} ${end} the work of ${countedNoun(all.length, "pod")} that had run for up to ${secondsText(ranMs)}`;
    });
  });
}

/** The shortest wait that the report states. */
const queueMinMs = 1_000;

/** Sentences about pods that wait because their node pulls one image after the other. */
export function pullQueueLines(answers: readonly Answer[]): string[] {
  return answers.flatMap(({ question, aftermath: { pullQueue } }) =>
    pullQueue === undefined || pullQueue.waitedMs < queueMinMs
      ? []
      : [
          `if ${question.about}: ${pullQueue.node} pulls ${countedNoun(pullQueue.pulls, "image")} one after the other, and a pod waits up to ${secondsText(pullQueue.waitedMs)} for the pulls of other pods`,
        ],
  );
}
