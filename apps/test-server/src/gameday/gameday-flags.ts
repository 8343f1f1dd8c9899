import { readFileSync, statSync } from "node:fs";
import { extname } from "node:path";
import { flag, FlagError, type LogLevel, logLevels, readCommandLine } from "@kintsugi/daemon";
import { SeededRandomSource } from "@kintsugi/simulation";
import { InvalidFile } from "@kintsugi/yaml-text";
import { incidents } from "../gym/incidents/incidents.ts";
import { type GameDayPlan, readGameDay } from "./gameday-file.ts";

export interface GameDayConfig {
  plan: GameDayPlan;
  port: number;
  /** The file of the report; undefined: the report is only printed. */
  report: string | undefined;
  json: boolean;
  withParent: boolean;
  logLevel: LogLevel;
}

const table = {
  port: flag.count({
    max: 65_000,
    help: "Port of the facilitator's page; the teams' pages use the next ports; 0 means any free ports",
    fallback: 0,
  }),
  report: flag.path({ help: "File that receives the report after each round, .md or .html" }),
  json: flag.switch({ help: "Print the pages' addresses as a line of JSON" }),
  "with-parent": flag.switch({ help: "End when the parent process ends, or closes the standard input" }),
  "log-level": flag.choice(logLevels, { help: "Least severe level that is logged", fallback: "error" }),
} as const;

const program = {
  name: "kintsugi gameday",
  description:
    "Holds a game day: in each round, something fails in the cluster of each team. The facilitator has a page with the hidden fault, each team has a page and kubectl, and the report shows the times to detect and to mend.",
  operands: {
    name: "file",
    help: "file of the game day; docs/recipes/hold-a-game-day.md describes its fields",
    many: false,
  },
};

/** The file of a game day with twenty rounds is at most a page long. */
const fileBytesMax = 64 * 1024;

/** @throws FlagError, HelpRequested. */
export function readGameDayFlags(argv: readonly string[]): GameDayConfig {
  const { flags, operands } = readCommandLine(program, table, argv);
  const [file] = operands;
  if (file === undefined)
    throw new FlagError("the file of a game day is required; it needs at least `incidents: [waiting-pods]`");
  const { port, report, json } = flags;
  if (report !== undefined && ![".md", ".html"].includes(extname(report)))
    throw new FlagError(`--report ${report}: the file name of a report must end in .md or .html`);
  return {
    plan: planIn(file),
    port,
    report,
    json,
    withParent: flags["with-parent"],
    logLevel: flags["log-level"],
  };
}

function planIn(file: string): GameDayPlan {
  try {
    if (statSync(file).size > fileBytesMax) throw new FlagError(`${file} has more than ${fileBytesMax} bytes`);
    const randomOf = (seed: number) => new SeededRandomSource(seed).of("order");
    return readGameDay(readFileSync(file, "utf8"), { source: file, incidents }, randomOf);
  } catch (error) {
    if (error instanceof InvalidFile) throw new FlagError(error.message, { cause: error });
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new FlagError(`there is no file ${file}`, { cause: error });
    if (code !== undefined) throw new FlagError(`${file} cannot be read: ${message}`, { cause: error });
    throw error;
  }
}
