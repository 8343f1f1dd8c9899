import { controlPrograms, hostPrograms } from "@kintsugi/lab";
import { nearestWord } from "@kintsugi/yaml-text";

/** The log of one process of a cluster. */
export interface ProgramLog {
  /** "api-server". */
  readonly program: string;
  /** The node or server of the process; undefined on the host itself. */
  readonly machine: string | undefined;
  /** The name of the file. */
  readonly file: string;
}

/** Logs of the host: "api-server" is not a program "api" of a node "server". */
const hostLogs: ReadonlySet<string> = new Set([
  ...[...controlPrograms, ...hostPrograms].map(({ name }) => name),
  "audit",
  "balancer",
  "supervisor",
]);

/** Lists the logs among file names; `machines` are the cluster's nodes and servers. */
export function logFilesIn(files: readonly string[], machines: readonly string[]): ProgramLog[] {
  return files
    .filter((file) => file.endsWith(".log"))
    .toSorted()
    .map((file) => {
      const name = file.slice(0, -".log".length);
      const machine = hostLogs.has(name) ? undefined : machines.find((each) => name.endsWith(`-${each}`));
      const program = machine === undefined ? name : name.slice(0, -machine.length - 1);
      return { program, machine, file };
    });
}

/** The user's choice: "kubelet", "kubelet@node-1", and the machine of --node. */
export interface LogChoice {
  readonly program: string | undefined;
  readonly machine: string | undefined;
}

/** Chooses logs, or reports the existing logs in one sentence. */
export function chooseLogs(logs: readonly ProgramLog[], choice: LogChoice): readonly ProgramLog[] | string {
  const [program, at] = (choice.program ?? "").split("@");
  const machine = choice.machine ?? at;
  const ofProgram = logs.filter((log) => program === "" || log.program === program);
  if (ofProgram.length === 0) {
    const known = [...new Set(logs.map((log) => log.program))];
    const near = nearestWord(program ?? "", known);
    return `there is no log of a program "${program}"${near === undefined ? "" : ` (did you mean ${near}?)`}; there are logs of ${listed(known)}`;
  }
  const chosen = ofProgram.filter((log) => machine === undefined || log.machine === machine);
  if (chosen.length > 0) return chosen;
  const machines = [...new Set(ofProgram.flatMap((log) => log.machine ?? []))];
  const what = program === "" ? "there are logs" : `there is ${program}`;
  return `there is no such log of "${machine}"; ${what} on ${machines.length === 0 ? "the host only" : listed(machines)}`;
}

/** Limit on open logs; a cluster of this host may have 256 nodes. */
const namesShownMax = 20;

function listed(names: readonly string[]): string {
  const more = names.length > namesShownMax ? ` and ${names.length - namesShownMax} more` : "";
  return `${names.slice(0, namesShownMax).join(", ")}${more}`;
}
