import { parseDurationMs } from "@kintsugi/api";
import { UnreadableSource } from "../source/unreadable.ts";
import type { Answer } from "../outcomes/summarize.ts";
import type { ChangeComparison } from "./compare.ts";
import { lastingText } from "./words.ts";

/** A condition under which a rehearsal fails. */
export type FailOn =
  | { readonly on: "downtime"; readonly aboveMs: number }
  | { readonly on: "budget" | "pending" | "stuck" | "drain" }
  /** A result is worse than before the change. */
  | { readonly on: "worse" };

/**
 * Reads "downtime>30s,budget,pending".
 * @throws UnreadableSource
 */
export function parseFailOn(text: string): FailOn[] {
  return text.split(",").map((word): FailOn => {
    const [, duration] = /^downtime>(.+)$/.exec(word.trim()) ?? [];
    if (duration !== undefined) {
      try {
        return { on: "downtime", aboveMs: parseDurationMs(duration) };
      } catch (cause) {
        throw new UnreadableSource(`--fail-on: "${duration}" is not a duration; write for example downtime>30s`, {
          cause,
        });
      }
    }
    const on = word.trim();
    if (on === "budget" || on === "pending" || on === "stuck" || on === "drain" || on === "worse") return { on };
    throw new UnreadableSource(
      `--fail-on: "${on}" is not a condition; the conditions are downtime>30s, budget, pending, stuck, drain and worse, separated by commas`,
    );
  });
}

/** The sentences about an answer's failures, by the conditions. */
export function failuresOf(
  { question, workloads, pending, stuck, drains }: Answer,
  { conditions, compared }: { conditions: readonly FailOn[]; compared: ChangeComparison | undefined },
): string[] {
  return conditions.flatMap((condition): string[] => {
    switch (condition.on) {
      case "downtime":
        return workloads
          .filter(({ downtime }) => downtime.p95 > condition.aboveMs)
          .map(
            ({ workload, downtime, downAtEnd }) =>
              `if ${question.about}, ${workload} is down ${lastingText(downtime.p95, downAtEnd)} (p95)`,
          );
      case "budget":
        return workloads
          .filter(({ belowBudget }) => belowBudget.p95 > 0)
          .map(
            ({ workload, belowBudget, belowBudgetAtEnd }) =>
              `if ${question.about}, ${workload} is below its budget ${lastingText(belowBudget.p95, belowBudgetAtEnd)} (p95)`,
          );
      case "worse":
        return (compared?.rows ?? [])
          .filter(({ about, verdict }) => about === question.about && verdict === "worse")
          .map(
            ({ about, subject, measure, before, after }) =>
              `if ${about}, ${subject}${measure === subject ? "" : ` ${measure}`}: ${before} before, ${after} now`,
          );
      case "pending":
        return pending.map(({ pod, because }) => `if ${question.about}, ${pod} fits nowhere: ${because}`);
      case "stuck":
        return stuck.map(({ pod, because }) => `if ${question.about}, ${pod} remains stuck: ${because}`);
      case "drain":
        return drains.filter(({ isDone }) => !isDone).map(({ node }) => `${question.about}, and it stops at ${node}`);
    }
  });
}

/** The sentences about the change itself, which no question covers. */
export function failuresOfChange(compared: ChangeComparison | undefined, conditions: readonly FailOn[]): string[] {
  const counts = conditions.some(({ on }) => on === "worse" || on === "pending");
  return counts ? (compared?.unplaced ?? []).map((line) => `the change leaves a pod without a node: ${line}`) : [];
}
