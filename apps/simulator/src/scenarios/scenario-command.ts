import { existsSync, writeFileSync } from "node:fs";
import { profiles } from "@kintsugi/api";
import { flag, pageHost, readCommandLine, readOrExplain } from "@kintsugi/daemon";
import {
  renderAppendix,
  renderBody,
  renderComparison,
  renderHead,
  renderHtml,
  reportHead,
  type ScenarioFile,
  type ScenarioReport,
} from "@kintsugi/simulation";
import { pictureNextTo, publishedPage, type PublishedPage, readPlayer, writtenPage } from "@kintsugi/story";
import { InvalidFile } from "@kintsugi/yaml-text";
import { timerFlags } from "../cluster/timer-flags.ts";
import { changeScenario } from "./change-scenario.ts";
import { findScenario, shippedNames, type ScenarioText, UsageError } from "./find-scenario.ts";
import { isAsExpected, playScenario, recordScenario } from "./play-scenario.ts";
import { readScenario } from "./read-scenario.ts";

export interface ScenarioCommandOptions {
  /** The directory of the built-in scenarios. */
  shippedDirectory: string;
  /** The directory of the built recording player. */
  playerDirectory: string;
}

/**
 * Exit codes: all expectations are met · an expectation is not met · the command line is invalid.
 */
const exitCodes = { fine: 0, unmet: 1, usage: 2 } as const;

const program = {
  name: "kintsugi simulate",
  description: "Simulates a scenario in virtual time; without a scenario, lists the built-in scenarios.",
  operands: { name: "scenario", help: "Scenario file, or the name of a built-in scenario", many: false },
};

const flags = {
  compare: flag.text({ help: "Compare with other settings: a profile, a file, or changes such as nodes=5" }),
  seed: flag.count({ help: "Seed of the random choices that the scenario leaves open", max: 9_999_999_999 }),
  html: flag.path({ help: "File for a page on which the run can be watched; with --compare, for the two reports" }),
  site: flag.text({
    help: "Address of the folder where the page of --html is published; writes the picture of its preview next to it",
  }),
  json: flag.switch({ help: "Print the report as one JSON object" }),
  full: flag.switch({ help: "Print the whole timeline instead of its turning points" }),
  list: flag.switch({ help: "List the built-in scenarios" }),
};

/**
 * Simulates one scenario, or the same scenario with two settings, and prints its report.
 * @returns the exit code.
 */
export async function scenarioCommand(args: string[], options: ScenarioCommandOptions): Promise<number> {
  try {
    return await simulate(args, options);
  } catch (error) {
    if (!(error instanceof InvalidFile || error instanceof UsageError)) throw error;
    process.stderr.write(`ERROR: ${error.message}\n`);
    return exitCodes.usage;
  }
}

async function simulate(
  args: string[],
  { shippedDirectory, playerDirectory }: ScenarioCommandOptions,
): Promise<number> {
  const { flags: values, operands } = readOrExplain("simulate", () => readCommandLine(program, flags, args));
  const [asked] = operands;
  if (values.list || asked === undefined) {
    for (const line of listing(shippedDirectory)) say(line);
    return exitCodes.fine;
  }
  const text = findScenario(asked, shippedDirectory);
  const files = [readScenario(text)];
  if (values.compare !== undefined) files.push(other(text, values.compare, shippedDirectory));
  const { html, site } = values;
  if (html !== undefined) refuseUnwritable(html);
  const published = site === undefined ? undefined : readSite(site, html, values.compare);
  const [first, ...others] = files.map((file) => withSeed(file, values.seed)) as [ScenarioFile, ...ScenarioFile[]];
  // A run takes seconds. This line shows what is being simulated.
  if (others.length === 0 && !values.json) for (const line of renderHead(reportHead(first, timerFlags))) say(line);
  const reports =
    html !== undefined && others.length === 0
      ? [await playForPlayer(first, { page: html, published, playerDirectory })]
      : await playAll([first, ...others]);
  const [report, compared] = reports;
  if (html !== undefined && report && compared) writePage(html, renderHtml(report, compared));
  print(reports, values);
  return reports.every(isAsExpected) ? exitCodes.fine : exitCodes.unmet;
}

async function playAll(files: readonly ScenarioFile[]): Promise<ScenarioReport[]> {
  const reports: ScenarioReport[] = [];
  for (const file of files) reports.push(await playScenario(file));
  return reports;
}

/** @throws UsageError for an address that no network could show. */
function readSite(site: string, page: string | undefined, compare: string | undefined): PublishedPage {
  if (page === undefined || compare !== undefined)
    throw new UsageError("--site is for the page of one run: use it with --html, and without --compare");
  const published = publishedPage(site, page);
  if (published === undefined)
    throw new UsageError(`--site ${site} is not an address such as https://example.org/runs/`);
  return published;
}

interface WatchedPage {
  readonly page: string;
  readonly published: PublishedPage | undefined;
  readonly playerDirectory: string;
}

/**
 * Plays a scenario, and writes the page on which it can be watched.
 * @throws UsageError when the player is not built.
 */
async function playForPlayer(
  file: ScenarioFile,
  { page, published, playerDirectory }: WatchedPage,
): Promise<ScenarioReport> {
  const host = pageHost(playerDirectory);
  const files = readPlayer(host);
  if (typeof files === "string") throw new UsageError(files);
  const { report, story } = await recordScenario(file);
  const written = writtenPage(story(), { files, appendix: renderAppendix(report), published }, host);
  writePage(page, written.page);
  if (written.picture !== undefined) writePage(pictureNextTo(page), written.picture);
  return report;
}

/** Checks the file before a long run instead of after it. */
function refuseUnwritable(file: string): void {
  writePage(file, "", "a");
}

/** @throws UsageError when the file cannot be written, as on a full disk. */
function writePage(file: string, content: string | Uint8Array, flag: "a" | "w" = "w"): void {
  try {
    writeFileSync(file, content, { flag });
  } catch (error) {
    throw new UsageError(`--html ${file} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}

interface Output {
  json: boolean;
  full: boolean;
}

function print([report, compared]: readonly ScenarioReport[], { json, full }: Output): void {
  if (!report) return;
  if (json) say(JSON.stringify(compared ? { a: report, b: compared } : report, null, 2));
  else for (const line of compared ? renderComparison(report, compared) : renderBody(report, { full })) say(line);
}

/**
 * Returns the scenario to compare with: another file, another profile, or the same scenario with
 * other settings.
 */
function other(text: ScenarioText, compare: string, shippedDirectory: string): ScenarioFile {
  if (Object.hasOwn(profiles, compare)) return changed(text, `profile=${compare}`);
  if (compare.includes("=") && !existsSync(compare)) return changed(text, compare);
  const found = findScenario(compare, shippedDirectory);
  return readScenario(found);
}

/** The expectations of one setting do not apply to the other setting. */
function changed(text: ScenarioText, changes: string): ScenarioFile {
  return { ...changeScenario(text, changes), expect: [] };
}

function withSeed(file: ScenarioFile, seed: number | undefined): ScenarioFile {
  return seed === undefined ? file : { ...file, scenario: { ...file.scenario, seed } };
}

function listing(shippedDirectory: string): string[] {
  const names = shippedNames(shippedDirectory);
  const width = Math.max(...names.map((name) => name.length)) + 3;
  return names.map((name) => {
    const { text, source } = findScenario(name, shippedDirectory);
    return `${name.padEnd(width)}${readScenario({ text, source }).description.split("\n")[0]}`;
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
