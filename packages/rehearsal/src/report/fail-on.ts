import { parseDurationMs } from "@kintsugi/api";
import { UnreadableSource } from "../source/unreadable.ts";
import type { Answer } from "../outcomes/summarize.ts";
import { secondsText } from "./words.ts";

/** A condition under which a rehearsal fails. */
export type FailOn =
  | { readonly on: "downtime"; readonly aboveMs: number }
  | { readonly on: "budget" | "pending" | "stuck" | "drain" };

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
        throw new UnreadableSource(`--fail-on: "${duration}" is no duration; write one as in downtime>30s`, { cause });
      }
    }
    const on = word.trim();
    if (on === "budget" || on === "pending" || on === "stuck" || on === "drain") return { on };
    throw new UnreadableSource(
      `--fail-on: "${on}" is not known; join any of downtime>30s, budget, pending, stuck, drain by commas`,
    );
  });
}

/** The sentences of what has failed in an answer, by the conditions. */
export function failuresOf(
  { question, workloads, pending, stuck, drains }: Answer,
  conditions: readonly FailOn[],
): string[] {
  return conditions.flatMap((condition): string[] => {
    switch (condition.on) {
      case "downtime":
        return workloads
          .filter(({ downtime }) => downtime.p95 > condition.aboveMs)
          .map(
            ({ workload, downtime }) =>
              `if ${question.about}, ${workload} is down for ${secondsText(downtime.p95)} (p95)`,
          );
      case "budget":
        return workloads
          .filter(({ belowBudget }) => belowBudget.p95 > 0)
          .map(
            ({ workload, belowBudget }) =>
              `if ${question.about}, ${workload} is below its budget for ${secondsText(belowBudget.p95)} (p95)`,
          );
      case "pending":
        return pending.map(({ pod, because }) => `if ${question.about}, ${pod} fits nowhere: ${because}`);
      case "stuck":
        return stuck.map(({ pod, because }) => `if ${question.about}, ${pod} stays stuck: ${because}`);
      case "drain":
        return drains.filter(({ isDone }) => !isDone).map(({ node }) => `${question.about}, and it stops at ${node}`);
    }
  });
}
