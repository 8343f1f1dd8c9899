import type { ScenarioReport } from "./report.ts";
import { formatInstant, type Step } from "./step.ts";
import { type CheckedExpectation, type Expectation, measureNames, measures } from "../scenario/expectation.ts";
import { formatRange, isWithin, type Range } from "../scenario/ranges.ts";

/** Compares the expected results with the actual results. */
export function checkExpectations(
  expectations: readonly Expectation[],
  report: Pick<ScenarioReport, "workloads" | "steps">,
): CheckedExpectation[] {
  return expectations.flatMap((expectation) =>
    expectation.step === undefined
      ? checkWorkload(expectation, report)
      : checkStep(expectation, expectation.step, report),
  );
}

function checkWorkload(expectation: Expectation, report: Pick<ScenarioReport, "workloads">): CheckedExpectation[] {
  const workload = report.workloads.find(({ name }) => name === expectation.workload);
  return measureNames.flatMap((name) => {
    const range = expectation[name];
    if (range === undefined) return [];
    const { unit } = measures[name];
    const value = workload?.measures[name] ?? 0;
    return [
      {
        text: `${expectation.workload}: ${name} ${formatRange(range, unit)}`,
        isMet: isWithin(value, range),
        found: unit === "time" ? formatInstant(value) : String(value),
      },
    ];
  });
}

const atLeastOnce: Range = { min: 1, max: Infinity };

function checkStep(
  expectation: Expectation,
  words: string,
  report: Pick<ScenarioReport, "steps">,
): CheckedExpectation[] {
  const { since, at, times = atLeastOnce } = expectation;
  const originMs = since === undefined ? 0 : report.steps.find((step) => tells(step, since))?.atMs;
  if (originMs === undefined) return [{ text: `"${words}" since "${since}"`, isMet: false, found: `never "${since}"` }];
  const seen = report.steps.filter((step) => step.atMs >= originMs && tells(step, words));
  const firstMs = (seen[0]?.atMs ?? 0) - originMs;
  const found = seen.length === 0 ? "never" : `${formatInstant(firstMs)}, ${seen.length} times in all`;
  const from = since === undefined ? "" : ` after "${since}"`;
  const checks: CheckedExpectation[] = [];
  if (at === undefined || expectation.times !== undefined)
    checks.push({
      text: `"${words}" ${formatRange(times, "count")} times${from}`,
      isMet: isWithin(seen.length, times),
      found,
    });
  if (at !== undefined)
    checks.push({
      text: `"${words}" at ${formatRange(at, "time")}${from}`,
      isMet: seen.length > 0 && isWithin(firstMs, at),
      found,
    });
  return checks;
}

/**
 * Reports whether the step contains the words, in their order, each as a whole: "restart 1" is
 * neither "restarting" nor "restart 15".
 */
function tells({ object, what, detail }: Step, words: string): boolean {
  const parts = words
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const whole = parts.map((part) => `(?<![A-Za-z0-9])${part}(?![A-Za-z0-9])`);
  return new RegExp(whole.join(".*"), "s").test(`${object} ${what} ${detail}`);
}
