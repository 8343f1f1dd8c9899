import { type ChildProcess, spawn } from "node:child_process";
import { openSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually, type ProgramResult, runProgram } from "../support/run-program.ts";

/** The options of a shell: its directory, its environment, and its input. */
export interface LineOptions {
  directory: string;
  env?: Readonly<Record<string, string>>;
  /** The standard input. */
  input?: string;
}

/** Emulated machines on a busy host: minutes are normal. */
const lineTimeoutMs = 3_000_000;

/**
 * A libvirt with its own network, mounts and processes (libvirtd.sh): all processes in it,
 * including machines, end with it, and a libvirt of the host is unaffected.
 */
export class PrivateLibvirt implements AsyncDisposable {
  readonly #log: string;
  readonly #holder: ChildProcess;

  constructor(directory: string, log: string) {
    this.#log = log;
    const output = openSync(join(directory, "libvirtd.log"), "a");
    const script = join(import.meta.dirname, "libvirtd.sh");
    const namespaces = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
    this.#holder = spawn("unshare", [...namespaces, "bash", script, join(directory, "libvirt")], {
      stdio: ["pipe", output, output],
    });
  }

  static async start(directory: string, log: string): Promise<PrivateLibvirt> {
    await mkdir(directory, { recursive: true });
    const libvirt = new PrivateLibvirt(directory, log);
    try {
      await eventually("libvirtd answers", async () => {
        if (libvirt.#holder.exitCode !== null) throw new Error(readFileSync(join(directory, "libvirtd.log"), "utf8"));
        return (await libvirt.run("virsh --connect qemu:///system version", { directory })).code === 0;
      });
      return libvirt;
    } catch (error) {
      await libvirt[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Runs a shell line next to libvirtd; its output also goes to the log. */
  async run(line: string, { directory, env = {}, input = "" }: LineOptions): Promise<ProgramResult> {
    const words = ["--target", String(this.#firstProcess()), "--net", "--mount", "--pid"];
    const shell = [...words, "sh", "-c", `cd ${directory} && ${line}`];
    const result = await runProgram("nsenter", shell, { env: { ...env }, input, timeoutMs: lineTimeoutMs });
    writeFileSync(this.#log, `$ ${line} ${input}\n${result.stdout}${result.stderr}[${result.code}]\n`, { flag: "a" });
    return result;
  }

  /** Writes a program `virsh` that connects to this libvirt, and returns its path. */
  async programIn(directory: string): Promise<string> {
    const program = join(directory, "virsh");
    const inside = `nsenter --target ${this.#firstProcess()} --net --mount --pid`;
    await writeFile(program, `#!/bin/sh\nexec ${inside} /usr/bin/virsh "$@"\n`, { mode: 0o700 });
    return program;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#holder.exitCode !== null || this.#holder.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#holder.once("exit", resolve));
    this.#holder.stdin?.end();
    await ended;
  }

  /** The only child of `unshare`, by its process id on the host. */
  #firstProcess(): number {
    const pid = this.#holder.pid ?? 0;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"));
  }
}
