import { basename } from "node:path";
import type { ContainerConfig } from "../../messages/container.ts";

/** The behavior of a container of the fake runtime. */
export type ContainerProgram =
  /** Runs until the signal, at which it ends immediately with code 0, like most servers. */
  | ({ type: "server"; execStatus?: number } & ScriptedCommands)
  | ({ type: "shell"; source: string } & ScriptedCommands)
  | { type: "fails"; at: "create" | "start"; message: string };

interface ScriptedCommands {
  /** The script that replaces a command whose program the container does not have. */
  execScript?: (() => string | undefined) | undefined;
  /** The script that answers clients that attach, instead of the container's own program. */
  attachScript?: (() => string | undefined) | undefined;
}

/** Container images that exist only to be scripted: see `scriptOfImage`. */
export const scriptRegistry = "script.kintsugi.dev/";

/**
 * The annotation of a container (or its pod) with its behavior, in the language of `parseShell`.
 */
export const scriptAnnotation = "kintsugi.dev/script";

const shells = ["sh", "ash", "bash"];
/** Programs of `runShell` that a container may name directly. */
const programs = ["sleep", "true", "false", "echo", "cat", "tail", "test", "[", "touch", "rm"];

/**
 * Returns the behavior of a container, from the first of: its annotation `kintsugi.dev/script`, its
 * image under script.kintsugi.dev/, its command when that is a shell script or one of the shell's
 * programs. Every other container is a server.
 */
export function programOf(
  config: Pick<ContainerConfig, "command" | "args" | "annotations">,
  /** The image's usual name, for any reference of the container. */
  imageName: string,
): ContainerProgram {
  const annotated = config.annotations[scriptAnnotation];
  if (annotated !== undefined) return { type: "shell", source: annotated };
  if (imageName.startsWith(scriptRegistry)) return scriptOfImage(imageName.slice(scriptRegistry.length));
  const words = [...config.command, ...config.args];
  const program = basename(words[0] ?? "");
  if (shells.includes(program)) return { type: "shell", source: words[1] === "-c" ? (words[2] ?? "") : "" };
  if (programs.includes(program))
    return { type: "shell", source: `exec ${[program, ...words.slice(1)].map(quote).join(" ")}` };
  // Busybox without a command is a shell without input, which ends immediately.
  if (words.length === 0 && /(?:^|\/)busybox(?::|@|$)/.test(imageName)) return { type: "shell", source: "" };
  return { type: "server" };
}

/**
 * A command run inside a container, as a script; undefined if its program is not one of the fake's.
 */
export function scriptOfCommand(command: readonly string[]): string | undefined {
  const program = basename(command[0] ?? "");
  if (shells.includes(program) && command[1] === "-c") return command[2] ?? "";
  return programs.includes(program) ? [program, ...command.slice(1)].map(quote).join(" ") : undefined;
}

/**
 * The behaviors by image name. A duration is a number with ms, s, m or h.
 *
 *   script.kintsugi.dev/run                   runs until the signal
 *   script.kintsugi.dev/exit:3-after-2s       ends with code 3 after 2 s ("-after-…" is optional)
 *   script.kintsugi.dev/oom:after-2s          takes all memory after 2 s ("latest": immediately)
 *   script.kintsugi.dev/stubborn              ignores SIGTERM
 *   script.kintsugi.dev/never-ready           runs, but every command in it (exec probes) fails
 *                                             with code 1
 *   script.kintsugi.dev/create-error:<text>   cannot be created
 *   script.kintsugi.dev/start-error:<text>    cannot be started
 *   script.kintsugi.dev/pull-error:<text>     cannot be pulled (see FakeImages)
 *   script.kintsugi.dev/pull-after:2s         takes 2 s to pull, then runs
 */
function scriptOfImage(name: string): ContainerProgram {
  const [verb = "", tag = "latest"] = name.split(":");
  const delay = `sleep ${/(?:^|-)after-(.+)$/.exec(tag)?.[1] ?? "0"}`;
  switch (verb) {
    case "exit":
      return { type: "shell", source: `${delay}; exit ${/^\d+/.exec(tag)?.[0] ?? "0"}` };
    case "oom":
      return { type: "shell", source: `${delay}; tail /dev/zero` };
    case "stubborn":
      return { type: "shell", source: "trap '' TERM; sleep infinity" };
    case "never-ready":
      return { type: "server", execStatus: 1 };
    case "create-error":
      return { type: "fails", at: "create", message: words(tag) };
    case "start-error":
      return { type: "fails", at: "start", message: words(tag) };
    case "run":
    case "pull-after":
    case "pull-error":
      return { type: "server" };
    default:
      return { type: "fails", at: "create", message: `there is no behaviour ${scriptRegistry}${verb}` };
  }
}

function words(tag: string): string {
  return tag.replaceAll("-", " ");
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
