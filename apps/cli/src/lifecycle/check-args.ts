import { execFile } from "node:child_process";
import { argsOfUser, type Programs, type DesiredSettings } from "@kintsugi/lab";
import { nearestWord } from "@kintsugi/yaml-text";
import { CommandError } from "../base/command.ts";

/** The programs whose flags a user may set, by the options that set them. */
const checked = [
  { program: "api-server", option: "--api-server-arg" },
  { program: "controller-manager", option: "--controller-manager-arg" },
  { program: "scheduler", option: "--scheduler-arg" },
  { program: "kubelet", option: "--kubelet-arg" },
] as const;

/** Time limit for a program's help, which takes a second, or a few on a busy host. */
const helpTimeoutMs = 30_000;

/**
 * Rejects flags that the programs of the cluster do not have, and invalid values, before anything
 * starts.
 * @throws CommandError that names the flag and the program's help.
 */
export async function refuseWrongArgs(programs: Programs, desired: DesiredSettings): Promise<void> {
  for (const { program, option } of checked) {
    const args = argsOfUser(program, desired);
    if (args.length === 0) continue;
    const fault = findArgFault(args, await helpOf(programs.app(program), args));
    if (fault === undefined) continue;
    throw new CommandError(`${option} ${fault}; \`${programs.app(program).join(" ")} --help\` lists its flags`);
  }
}

interface HelpOutput {
  readonly help: string;
  readonly complaint: string;
}

/**
 * Finds a fault in flags. `complaint` is the program's output for these flags, and `help` its
 * output for `--help`.
 */
export function findArgFault(args: readonly string[], { help, complaint }: HelpOutput): string | undefined {
  if (complaint !== "") return complaint.replace(/^[a-z-]+: (?:option )?/, "").replace(/ \(see [a-z-]+ --help\)$/, "");
  const known = [...help.matchAll(/^ +(?:-\w, )?--([a-z0-9-]+)/gm)].map(([, name = ""]) => name);
  const unknown = args.find((each) => !known.includes(nameOf(each)));
  if (unknown === undefined) return undefined;
  const near = nearestWord(nameOf(unknown), known);
  return `${unknown}: there is no flag --${nameOf(unknown)}${near === undefined ? "" : ` (did you mean --${near}?)`}`;
}

function nameOf(argument: string): string {
  return argument.split("=", 1)[0] ?? "";
}

/** Values are checked before the help is printed, but names are not. */
function helpOf([program = "", ...first]: readonly string[], args: readonly string[]): Promise<HelpOutput> {
  return new Promise((resolve, reject) => {
    const given = [...first, ...args.map((each) => `--${each}`), "--help"];
    execFile(program, given, { timeout: helpTimeoutMs }, (error, stdout, stderr) => {
      if (error !== null && stderr.trim() === "") return reject(error);
      resolve({ help: stdout, complaint: error === null ? "" : (stderr.trim().split("\n").at(-1) ?? "") });
    });
  });
}
