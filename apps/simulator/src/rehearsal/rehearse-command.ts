import { availableParallelism } from "node:os";
import { formatDuration, isApiError } from "@kintsugi/api";
import { ConnectionError, InvalidKubeconfig } from "@kintsugi/client";
import { systemClock } from "@kintsugi/clock";
import { pageHost, readCommandLine, readOrExplain } from "@kintsugi/daemon";
import {
  type Answer,
  dumpCommand,
  failuresOf,
  failuresOfChange,
  makePicture,
  parseFailOn,
  readingRole,
  type RehearsalReport,
  reportJson,
  reportJunit,
  reportMarkdown,
  reportText,
  UnreadableSource,
} from "@kintsugi/rehearsal";
import { InvalidFile } from "@kintsugi/yaml-text";
import { RunFailed, RunWorkers } from "./runs/run-workers.ts";
import { readScenarioQuestion } from "./questions/read-scenario-question.ts";
import { rehearseAndRecord } from "./rehearse.ts";
import { recordCommand } from "./record/record-command.ts";
import { replayedScenario } from "./record/replay.ts";
import { type outputs, type RehearseFlags, recordMaxMs, rehearseFlags, rehearseProgram } from "./rehearse-flags.ts";
import { changedSource } from "./sources/changed-source.ts";
import { dumpText } from "./sources/dump-text.ts";
import { readSource } from "./sources/read-source.ts";
import { findPlayer, watchPage } from "./watch-page.ts";

/**
 * Exit codes: all conditions hold · a condition of --fail-on does not hold · the source or the
 * command line is invalid.
 */
const exitCodes = { fine: 0, failed: 1, usage: 2 } as const;
/** Default limit of the number of processes, because more would take too much memory. */
const workersDefaultMax = 8;

/** Errors that the source or the cluster may cause at any time: each message is complete. */
const expected = [UnreadableSource, InvalidFile, InvalidKubeconfig, ConnectionError, RunFailed];

export interface RehearseCommandOptions {
  /** The directory of the built recording player. */
  readonly playerDirectory: string;
}

/** Rehearses a cluster, and prints the report. @returns the exit code. */
export async function rehearseCommand(args: string[], options: RehearseCommandOptions): Promise<number> {
  try {
    return await run(args, options);
  } catch (error) {
    const fromHost = error instanceof Error && "syscall" in error;
    if (!fromHost && !isApiError(error) && !expected.some((kind) => error instanceof kind)) throw error;
    process.stderr.write(`ERROR: ${(error as Error).message}\n`);
    return exitCodes.usage;
  }
}

async function run(args: string[], { playerDirectory }: RehearseCommandOptions): Promise<number> {
  const { flags, operands } = readOrExplain("rehearse", () =>
    readCommandLine(rehearseProgram, rehearseFlags, args.map(longWord)),
  );
  const [word, ...more] = operands;
  if (flags["print-role"]) return print(readingRole({ isWatched: word === "record" }));
  if (flags["print-dump-command"]) return print(dumpCommand());
  if (word === "replay") return replay(flags, more);
  if (word !== undefined && word !== "dump" && word !== "record")
    throw new UnreadableSource(`"${word}" is not a subcommand of rehearse; did you mean --from ${word}?`);
  if (more.length > 0) throw new UnreadableSource(`unexpected argument "${more[0]}": ${word} accepts no further words`);
  if (word === "record") return record(flags);
  const source = await readSource(flags, complain);
  if (word === "dump") return print(dumpText(source));
  const failOn = flags["fail-on"] === undefined ? [] : parseFailOn(flags["fail-on"]);
  if (flags.with === undefined && failOn.some(({ on }) => on === "worse"))
    throw new UnreadableSource(
      "--fail-on worse compares the cluster with its state before a change: name the change with --with",
    );
  const picture = makePicture(source);
  const { scenario } = flags;
  const changed = flags.with === undefined ? undefined : changedSource(source, flags.with);
  using workers = new RunWorkers(flags.workers ?? Math.min(workersDefaultMax, availableParallelism()));
  const host = pageHost(playerDirectory);
  const files = flags.output === "html" ? findPlayer(host) : undefined;
  const { report, watched } = await rehearseAndRecord(
    picture,
    { workers, onProgress: progress() },
    {
      ...flags,
      drainAll: flags["drain-all"],
      isUnsettled: source.isUnsettled,
      isWatched: files !== undefined,
      change: changed && { ...changed, picture: makePicture(changed.source) },
      scenario: scenario === undefined ? undefined : (cluster) => readScenarioQuestion(scenario, cluster),
    },
  );
  print(flags.output === "html" ? watchPage(report, watched, { files, host }) : inForm(report, flags.output, failOn));
  const { compared } = report;
  const failures = [
    ...failuresOfChange(compared, failOn),
    ...report.answers.flatMap((answer) => failuresOf(answer, { conditions: failOn, compared })),
  ];
  for (const failure of failures) complain(`FAILED: ${failure}`);
  return failures.length > 0 ? exitCodes.failed : exitCodes.fine;
}

async function record(flags: RehearseFlags): Promise<number> {
  if (flags.from !== undefined)
    throw new UnreadableSource("record watches a live cluster: omit --from, or name a --context");
  if (flags.for < 1_000 || flags.for > recordMaxMs)
    throw new UnreadableSource(
      `--for ${formatDuration(flags.for)} must be between 1s and ${formatDuration(recordMaxMs)}`,
    );
  await recordCommand({ ...flags, forMs: flags.for }, complain);
  return exitCodes.fine;
}

async function replay(flags: RehearseFlags, [file, ...others]: readonly string[]): Promise<number> {
  if (file === undefined || others.length > 0)
    throw new UnreadableSource("replay needs one file, a record or an audit log: rehearse replay FILE [--from DUMP]");
  const read = (from: string) => readSource({ ...flags, from }, complain);
  process.stdout.write(await replayedScenario(file, { cluster: flags.from, read }));
  return exitCodes.fine;
}

/** `-o` is as short as kubectl's. */
function longWord(word: string): string {
  return word.startsWith("-o") ? `--output${word.slice("-o".length).replace(/^(?=[a-z])/, "=")}` : word;
}

function inForm(
  report: RehearsalReport,
  output: Exclude<(typeof outputs)[number], "html">,
  failOn: ReturnType<typeof parseFailOn>,
): string {
  switch (output) {
    case "table":
      return reportText(report).join("\n");
    case "json":
      return reportJson(report);
    case "junit":
      return reportJunit(report, failOn);
    case "markdown":
      return reportMarkdown(report);
  }
}

/** Reports progress on standard error: the first answer, and then each tenth of the runs. */
function progress(): (done: number, all: number, first: Answer | undefined) => void {
  const beganMs = systemClock.monotonicMs();
  const seconds = () => `${((systemClock.monotonicMs() - beganMs) / 1000).toFixed(1)} s`;
  let told = 0;
  return (done, all, first) => {
    if (first !== undefined) complain(`${seconds()}: first answer of ${all}: ${firstWords(first)}`);
    const tenths = Math.floor((10 * done) / all);
    if (tenths > told && done > 1) complain(`${seconds()}: ${done} of ${all} runs`);
    told = tenths;
  };
}

function firstWords({ question, workloads, drains }: Answer): string {
  if (question.kind === "drains")
    return drains.every(({ isDone }) => isDone) ? "the drains end" : "the drains do not end";
  const down = workloads.filter(({ downtime }) => downtime.worst > 0).map(({ workload }) => workload);
  return `if ${question.about}, ${down.length === 0 ? "no workload is down" : `${down.slice(0, 3).join(", ")} ${down.length === 1 ? "is" : "are"} down`}`;
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return exitCodes.fine;
}

function complain(line: string): void {
  process.stderr.write(`${line}\n`);
}
