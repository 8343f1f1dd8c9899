import { flag, FlagError, type LogLevel, logLevels, readCommandLine } from "@kintsugi/daemon";
import { causes, type Incident } from "./incident.ts";
import { findIncident } from "./incident-run.ts";
import { incidents } from "./incidents/incidents.ts";

export interface GymConfig {
  incident: Incident;
  seed: number;
  kubeconfig: string | undefined;
  contextName: string | undefined;
  json: boolean;
  withParent: boolean;
  logLevel: LogLevel;
}

const table = {
  seed: flag.count({ max: 2 ** 32 - 1, help: "Seed that chooses the time and the place of the fault", fallback: 1 }),
  kubeconfig: flag.path({ help: "Kubeconfig that receives the context (default: the file that kubectl uses)" }),
  context: flag.text({ help: "Name of the context (default: kintsugi-test-server)" }),
  json: flag.switch({ help: "Print one JSON object per line, and write a separate kubeconfig for the cluster" }),
  "with-parent": flag.switch({ help: "End when the parent process ends, or closes the standard input" }),
  "log-level": flag.choice(logLevels, { help: "Least severe level that is logged", fallback: "error" }),
} as const;

const program = {
  name: "kintsugi gym start",
  description: "Starts a cluster in which something fails, in virtual time and without containers.",
  operands: { name: "incident", help: "name of the incident, from `kintsugi gym list`", many: false },
};

/** @throws FlagError, HelpRequested. */
export function readGymFlags(argv: readonly string[]): GymConfig {
  const { flags, operands } = readCommandLine(program, table, argv[0] === "start" ? argv.slice(1) : argv);
  const [name] = operands;
  if (name === undefined)
    throw new FlagError("the name of an incident is required: `kintsugi gym list` lists the incidents");
  const { seed, kubeconfig, context: contextName, json } = flags;
  return {
    incident: namedIncident(name),
    seed,
    kubeconfig,
    contextName,
    json,
    withParent: flags["with-parent"],
    logLevel: flags["log-level"],
  };
}

function namedIncident(name: string): Incident {
  try {
    return findIncident(incidents, name);
  } catch (error) {
    throw new FlagError((error as Error).message, { cause: error });
  }
}

/** The text of `kintsugi gym list`: symptoms without their causes. */
export function incidentsText(): string {
  const width = Math.max(...incidents.map(({ name }) => name.length)) + 2;
  return incidents.map(({ name, symptom }) => `${name.padEnd(width)}${symptom}\n`).join("");
}

/** The text of `kintsugi gym causes`. */
export function causesText(): string {
  const width = Math.max(...Object.keys(causes).map((name) => name.length)) + 2;
  return Object.entries(causes)
    .map(([name, sentence]) => `${name.padEnd(width)}${sentence}\n`)
    .join("");
}
