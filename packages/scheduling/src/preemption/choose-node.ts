import { compareText } from "@kintsugi/api";
import { type Candidate, startOf } from "./select-victims.ts";

/** Added to each priority, so that fewer victims are better for negative priorities too. */
const priorityShift = 2 ** 31;

/** Each criterion decides where the earlier criteria are equal; the lowest value is the best. */
const criteria: readonly ((a: Candidate, b: Candidate) => number)[] = [
  (a, b) => a.violations - b.violations,
  (a, b) => highestPriority(a) - highestPriority(b),
  (a, b) => sumOfPriorities(a) - sumOfPriorities(b),
  (a, b) => a.victims.length - b.victims.length,
  // The later the most important victims started, the less of their work is lost.
  (a, b) => compareText(earliestStart(b), earliestStart(a)),
];

/**
 * Chooses the node with the smallest loss, by upstream's order of criteria
 * (pickOneNodeForPreemption); the first of equal nodes.
 */
export function chooseNode(candidates: readonly Candidate[]): Candidate | undefined {
  const [first, ...others] = candidates;
  if (first === undefined) return undefined;
  return others.reduce((best, other) => (isBetter(other, best) ? other : best), first);
}

function isBetter(a: Candidate, b: Candidate): boolean {
  for (const compare of criteria) {
    const difference = compare(a, b);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function highestPriority({ victims }: Candidate): number {
  return victims.reduce((highest, { priority }) => Math.max(highest, priority), -Infinity);
}

function sumOfPriorities({ victims }: Candidate): number {
  return victims.reduce((sum, { priority }) => sum + priority + priorityShift, 0);
}

/** Only the most important victims count. */
function earliestStart(candidate: Candidate): string {
  const highest = highestPriority(candidate);
  return candidate.victims
    .filter(({ priority }) => priority === highest)
    .map(startOf)
    .reduce((earliest, start) => (start < earliest ? start : earliest));
}
