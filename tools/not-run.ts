import { relative } from "node:path";
import type { UserConsoleLog } from "vitest";
import type { Reporter, TestModule, Vitest } from "vitest/node";

/** A group of tests that a host cannot run, as a test file prints it. */
export interface NotRun {
  readonly group: string;
  readonly reason: string;
}

/** Reads the lines `not run: <group>: <reason>` of a test file's output. */
export function readNotRun(content: string): NotRun[] {
  return content.split("\n").flatMap((line) => {
    const [, group, reason] = /^not run: ([^:]+): (.+)$/.exec(line) ?? [];
    return group === undefined || reason === undefined ? [] : [{ group, reason }];
  });
}

/** Reads the reason of one skipped test, from its call of `skip` or from its name. */
export function noteOf(name: string, result: object): string | undefined {
  const note = "note" in result && typeof result.note === "string" ? result.note : undefined;
  return note ?? /\(skipped: ([^)]+)\)/.exec(name)?.[1];
}

export interface SkippedFile {
  readonly file: string;
  readonly tests: number;
  /** The lines of the file; empty when its skipped tests have no reason. */
  readonly notRun: readonly NotRun[];
}

/** Number of names of groups in one line. */
const groupsMax = 6;

/**
 * One line for each reason, with its groups of tests. Skipped tests of a file without a reason also
 * have a line.
 */
export function notRunLines(skipped: readonly SkippedFile[]): string[] {
  const byReason = new Map<string, { groups: Set<string>; tests: number }>();
  for (const { file, tests, notRun } of skipped) {
    const first = notRun[0] ?? { group: file, reason: "the file states no reason" };
    for (const { group, reason } of notRun.length === 0 ? [first] : notRun) {
      const found = byReason.get(reason) ?? { groups: new Set(), tests: 0 };
      found.groups.add(group);
      if (reason === first.reason && group === first.group) found.tests += tests;
      byReason.set(reason, found);
    }
  }
  return [...byReason].map(([reason, { groups, tests }]) => {
    const names = [...groups].toSorted();
    const further = names.length > groupsMax ? `, and ${names.length - groupsMax} other groups` : "";
    const count = tests === 0 ? "" : ` (${tests} tests)`;
    return `not run: ${names.slice(0, groupsMax).join(", ")}${further}${count}: ${reason}`;
  });
}

/** Ends a run with the groups of tests that could not run here, and why. */
export default class NotRunReporter implements Reporter {
  readonly #byFile = new Map<string, NotRun[]>();
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onUserConsoleLog({ content, taskId }: UserConsoleLog): void {
    const found = readNotRun(content);
    if (found.length === 0) return;
    const task = taskId === undefined ? undefined : this.#vitest?.state.idMap.get(taskId);
    const file = task?.file.filepath ?? "";
    this.#byFile.set(file, [...(this.#byFile.get(file) ?? []), ...found]);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module): SkippedFile[] => {
      const tests = [...module.children.allTests("skipped")];
      const file = relative(process.cwd(), module.moduleId);
      const notes = new Set(tests.flatMap((test) => noteOf(test.fullName, test.result()) ?? []));
      const printed = this.#byFile.get(module.moduleId) ?? [];
      const notRun = printed.length > 0 ? printed : [...notes].map((reason) => ({ group: file, reason }));
      return tests.length === 0 ? [] : [{ file, tests: tests.length, notRun }];
    });
    for (const line of notRunLines(skipped)) process.stdout.write(`${line}\n`);
  }
}
