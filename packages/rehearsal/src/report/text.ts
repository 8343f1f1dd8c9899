import { countedNoun, textTable } from "@kintsugi/api";
import type { Percentiles } from "../outcomes/percentiles.ts";
import type { Answer, WorkloadAnswer } from "../outcomes/summarize.ts";
import { differingRows } from "./compare.ts";
import { aftershockLines, lostWorkLines, pullQueueLines } from "./aftershocks.ts";
import type { RehearsalReport } from "./report.ts";
import { endlessShare, secondsText, shortRefusal } from "./words.ts";

/** Number of items of each kind in a report; further items are counted. */
const shownMax = 20;
/** Maximum length of the scheduler's messages; `-o json` contains the complete messages. */
const reasonLengthMax = 220;

/** The report for people at a terminal. */
export function reportText(report: RehearsalReport): string[] {
  return [
    ...headLines(report),
    ...comparedSections(report),
    ...section("Down", downLines(report.answers)),
    ...section("Below budget", budgetLines(report.answers)),
    ...section("Dependencies that are down", limited(report.dependencies)),
    ...section("Does not fit elsewhere", pendingLines(report.answers)),
    ...section("Stays broken", stuckLines(report.answers)),
    ...section("Loses work", limited(lostWorkLines(report.answers))),
    ...section("Aftershocks", [
      ...aftershockLines(report.answers, shownMax),
      ...limited(pullQueueLines(report.answers)),
      ...limited(report.loads),
    ]),
    ...section("Timers, as seconds of downtime", timerLines(report)),
    ...section("Drains", report.answers.flatMap(drainLines)),
    ...section("Nodes that can fail without harm", nodeLines(report)),
    ...section(
      "Single points of failure",
      report.singlePoints.map(({ what, because }, index) => `${index + 1}. ${what}: ${because}`),
    ),
    ...section("What would help most", changeLines(report)),
    ...section("Basis of these answers", [...report.basis, ...report.notes]),
  ];
}

export function headLines(report: RehearsalReport): string[] {
  const { source, nodes, pods, kubernetes, takenAt, answers, runsPerQuestion, without } = report;
  const { unknown, leftOut, unmodelled, downBefore } = report;
  const runs = countedNoun(runsPerQuestion, "run");
  const cutShort = answers.flatMap(({ question, cutShort: because }) =>
    because === undefined ? [] : [`if ${question.about}: ${because}`],
  );
  const named = unmodelled.slice(0, shownMax).map(({ kind, count }) => `${kind} (${count})`);
  return [
    `Rehearsal of ${source}: ${countedNoun(nodes, "node")}, ${countedNoun(pods, "pod")}, Kubernetes ${kubernetes}, as of ${takenAt}.`,
    `${countedNoun(answers.length, "question")}, ${runs} each, seed ${report.seed}. Downtime: no pod of a workload is available.`,
    ...(without.length > 0
      ? [`In each question, ${without.join(" and ")} ${without.length === 1 ? "does" : "do"} not respond.`]
      : []),
    ...(unknown.length > 0 ? ["", "UNKNOWN, and not counted as absent:", ...unknown.map((line) => `  ${line}`)] : []),
    ...(leftOut.length > 0 ? ["", "NOT READ, and ignored in all answers:", ...leftOut.map((line) => `  ${line}`)] : []),
    ...(cutShort.length > 0 ? ["", "CUT SHORT:", ...limited(cutShort).map((line) => `  ${line}`)] : []),
    ...(named.length > 0 ? ["", `Not modelled: ${named.join(", ")}.`] : []),
    ...(downBefore.length > 0
      ? [
          "",
          `Already down before the first fault, and therefore in no answer: ${downBefore.slice(0, shownMax).join(", ")}.`,
        ]
      : []),
  ];
}

/** The difference is first, because the sections below it are about the changed cluster. */
function comparedSections({ compared }: RehearsalReport): string[] {
  if (compared === undefined) return [];
  const { name, objects, unplaced, rows } = compared;
  const told = differingRows(rows);
  const same = rows.length - told.length;
  const table = textTable(
    ["", "IF", "WHAT", "MEASURE", "BEFORE", "AFTER"],
    told.slice(0, shownMax).map((row) => [row.verdict, row.about, row.subject, row.measure, row.before, row.after]),
    { gap: 2 },
  );
  return [
    ...section("The change", [`${name}:`, ...objects.slice(0, shownMax), ...moreLine(objects.length)]),
    ...section("Without a node when the change is rolled out", unplaced.slice(0, shownMax).map(cut)),
    ...section("Before and after", [
      ...(told.length === 0 ? ["no answer differs"] : [...table, ...moreLine(told.length)]),
      ...(same > 0 ? [`${countedNoun(same, "answer")} ${same === 1 ? "is" : "are"} as before`] : []),
    ]),
    "",
    "The sections below describe the changed cluster.",
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", title.toUpperCase(), ...lines];
}

function downLines(answers: readonly Answer[]): string[] {
  const rows = answers.flatMap(({ question, workloads }) =>
    workloads.filter(({ downtime }) => downtime.worst > 0).map((workload) => ({ question, workload })),
  );
  if (rows.length === 0) return ["no workload goes down in any of the questions"];
  const shown = rows.slice(0, shownMax);
  const table = textTable(
    ["IF", "WORKLOAD", "P50", "P95", "WORST", "AT THE END"],
    shown.map(({ question, workload }) => [
      question.about,
      workload.workload,
      ...downCells(workload),
      clippedEnd(workload),
    ]),
    { gap: 2 },
  );
  const [first] = rows.toSorted((a, b) => b.workload.downtime.worst - a.workload.downtime.worst);
  const chain =
    first === undefined
      ? []
      : ["", `Why ${first.workload.workload} is down if ${first.question.about}:`, ...chainLines(first.workload)];
  return [...table, ...moreLine(rows.length), ...chain];
}

function budgetLines(answers: readonly Answer[]): string[] {
  const rows = answers.flatMap(({ question, workloads }) =>
    workloads.filter(({ belowBudget }) => belowBudget.worst > 0).map((workload) => ({ question, workload })),
  );
  if (rows.length === 0) return [];
  return [
    ...textTable(
      ["IF", "WORKLOAD", "P50", "P95", "WORST"],
      rows
        .slice(0, shownMax)
        .map(({ question, workload }) => [question.about, workload.workload, ...budgetCells(workload)]),
      { gap: 2 },
    ),
    ...moreLine(rows.length),
  ];
}

export function spreadCells({ p50, p95, worst }: Percentiles): string[] {
  return [p50, p95, worst].map(secondsText);
}

export function downCells({ downtime, downAtEnd }: WorkloadAnswer): string[] {
  return endlessCells(downtime, downAtEnd);
}

function budgetCells({ belowBudget, belowBudgetAtEnd }: WorkloadAnswer): string[] {
  return endlessCells(belowBudget, belowBudgetAtEnd);
}

/** A downtime that does not end has no length, because a run ends at an arbitrary time. */
function endlessCells(spread: Percentiles, endless: number): string[] {
  const cells = spreadCells(spread);
  const isEndless = [endless > 0.5, endless > endlessShare, endless > 0];
  return cells.map((cell, index) => (isEndless[index] === true ? "forever" : cell));
}

export function clippedEnd({ downAtEnd, degradedAtEnd, unmodelledOwner }: WorkloadAnswer): string {
  if (downAtEnd > 0 && unmodelledOwner !== undefined)
    return `unknown: it depends on ${unmodelledOwner}, which is not modelled`;
  if (downAtEnd > 0) return downAtEnd === 1 ? "still down" : `still down in ${Math.round(downAtEnd * 100)} % of runs`;
  return degradedAtEnd > 0 ? "fewer pods than before" : "recovered";
}

function chainLines({ chain }: WorkloadAnswer): string[] {
  return chain.map(({ atMs, what }) => `  +${secondsText(atMs).padEnd(7)} ${cut(what)}`);
}

function pendingLines(answers: readonly Answer[]): string[] {
  const groups = new Map<string, { about: string; workload: string; because: string; count: number }>();
  for (const { question, pending } of answers) {
    for (const { workload, because } of pending) {
      const rules = shortRefusal(because);
      const key = `${question.about}\n${workload}\n${rules}`;
      const group = groups.get(key) ?? { about: question.about, workload, because: rules, count: 0 };
      group.count++;
      groups.set(key, group);
    }
  }
  const all = [...groups.values()];
  return [
    ...all
      .slice(0, shownMax)
      .map(
        ({ about, workload, because, count }) =>
          `if ${about}: ${countedNoun(count, "pod")} of ${workload}: ${cut(because)}`,
      ),
    ...moreLine(all.length),
  ];
}

function stuckLines(answers: readonly Answer[]): string[] {
  const all = answers.flatMap(({ question, stuck, workloads }) => {
    // Only a StatefulSet waits for the end of a pod before it creates its replacement.
    const broken = workloads.filter(({ degradedAtEnd, kind }) => degradedAtEnd > 0 && kind !== "DaemonSet");
    const kinds = new Map(broken.map(({ workload, kind }) => [workload, kind]));
    return stuck
      .filter(
        ({ workload, isTerminating }) =>
          kinds.has(workload) && (!isTerminating || kinds.get(workload) === "StatefulSet"),
      )
      .map((each) => ({ question, ...each }));
  });
  const bySort = new Map<string, { line: string; count: number }>();
  for (const { question, workload, because } of all) {
    const key = `${question.about} ${workload} ${because}`;
    const known = bySort.get(key);
    if (known) known.count++;
    else bySort.set(key, { line: `if ${question.about}: a pod of ${workload}: ${cut(because)}`, count: 1 });
  }
  const lines = [...bySort.values()].map(({ line, count }) => (count === 1 ? line : `${line} (${count} pods)`));
  return [...lines.slice(0, shownMax), ...moreLine(lines.length)];
}

function drainLines({ question, drains }: Answer): string[] {
  if (question.kind !== "drains") return [];
  const done = drains.filter(({ isDone }) => isDone);
  const stopped = drains.find(({ isDone }) => !isDone);
  const head =
    stopped === undefined
      ? `${question.about}: done, ${countedNoun(done.length, "node")} in ${durationText(question, drains)}`
      : `${question.about}: STOPS at ${stopped.node}, node ${drains.length} of ${question.nodes.length}: ${stopped.heldBy.map(({ pod, budget }) => `${pod}: ${cut(budget)}`).join("; ")}`;
  const slow = done.filter(({ heldBy }) => heldBy.length > 0).toSorted((a, b) => b.tookMs - a.tookMs);
  return [
    head,
    ...slow.slice(0, shownMax).map(({ node, tookMs, heldBy }) => {
      const [first] = heldBy;
      return `  ${node} takes ${secondsText(tookMs)}: ${first?.pod} waits ${secondsText(first?.forMs ?? 0)} for its budget`;
    }),
  ];
}

function durationText({ rebootMs }: Extract<Answer["question"], { kind: "drains" }>, drains: Answer["drains"]): string {
  const drainedMs = drains.reduce((sum, { tookMs }) => sum + tookMs, 0);
  if (rebootMs === undefined) return secondsText(drainedMs);
  const { fromMs = 0, tookMs = 0 } = drains.at(-1) ?? {};
  return `${secondsText(fromMs + tookMs + rebootMs)}, of which the drains take ${secondsText(drainedMs)} and each reboot ${secondsText(rebootMs)}`;
}

function nodeLines({ nodesThatCanGo, nodesThatCannotGo }: RehearsalReport): string[] {
  if (nodesThatCanGo.length + nodesThatCannotGo.length === 0) return [];
  const names = nodesThatCanGo.slice(0, shownMax).join(", ");
  const more = nodesThatCanGo.length > shownMax ? ` and ${nodesThatCanGo.length - shownMax} more` : "";
  return [
    nodesThatCanGo.length === 0 ? "no node" : `${names}${more}`,
    ...nodesThatCannotGo.slice(0, shownMax).map(({ node, because }) => `not ${node}: ${because}`),
    ...moreLine(nodesThatCannotGo.length),
  ];
}

function changeLines({ changes }: RehearsalReport): string[] {
  return changes.flatMap((change, index) => [
    `${index + 1}. ${change.what}: ${effectsOf(change).join(", ")}`,
    `   ${change.command}`,
  ]);
}

function effectsOf(change: RehearsalReport["changes"][number]): string[] {
  const { beforeMs, afterMs, pendingBefore, pendingAfter, stopsBefore, stopsAfter, endlessBefore, endlessAfter } =
    change;
  const { brokenBefore, brokenAfter } = change;
  const isEnded = endlessAfter < endlessBefore;
  const times = `${secondsText(beforeMs)} → ${secondsText(afterMs)}`;
  return [
    ...(endlessBefore === endlessAfter ? [] : [`workloads down forever ${endlessBefore} → ${endlessAfter}`]),
    ...(brokenBefore === brokenAfter ? [] : [`StatefulSets that lack a pod forever ${brokenBefore} → ${brokenAfter}`]),
    ...(stopsBefore === stopsAfter ? [] : [stopsAfter < stopsBefore ? "the drain ends" : "the drain stops"]),
    ...(beforeMs === 0 && afterMs === 0 ? [] : [isEnded ? `downtime that ends ${times}` : `downtime ${times}`]),
    ...(pendingBefore === pendingAfter ? [] : [`pods without a node ${pendingBefore} → ${pendingAfter}`]),
  ];
}

function limited(lines: readonly string[]): string[] {
  return [...lines.slice(0, shownMax).map(cut), ...moreLine(lines.length)];
}

function timerLines({ timers }: RehearsalReport): string[] {
  if (timers.length === 0) return [];
  return textTable(
    ["WHILE", "DOWNTIME", "SHARE", "SET BY"],
    timers.map(({ what, downtimeMs, share, setBy }) => [
      what,
      secondsText(downtimeMs),
      `${Math.round(100 * share)} %`,
      setBy,
    ]),
    { gap: 2 },
  );
}

function moreLine(count: number): string[] {
  return count > shownMax ? [`and ${count - shownMax} more; -o json has all of them`] : [];
}

function cut(text: string): string {
  return text.length <= reasonLengthMax ? text : `${text.slice(0, reasonLengthMax)}…`;
}
