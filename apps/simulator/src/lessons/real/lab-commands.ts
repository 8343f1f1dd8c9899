import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";

/** The cluster of a lesson could not be made, changed or read. */
export class LabFailed extends Error {
  override readonly name = "LabFailed";
}

/** The report of a cluster with many nodes has several hundred kilobytes. */
const outputBytesMax = 16 * 1024 * 1024;
/** A power cut waits for the end of a node's processes, which takes seconds on a busy host. */
const commandTimeoutMs = 60_000;

/** Runs `kintsugi` for one cluster of this host. */
export class LabCommands {
  readonly #command: readonly string[];
  readonly #cluster: string;

  /** @param command of `kintsugi`, before its arguments */
  constructor(command: readonly string[], cluster: string) {
    this.#command = command;
    this.#cluster = cluster;
  }

  /** Runs a command with this terminal, so that a user sees its steps. @throws LabFailed */
  async show(words: readonly string[]): Promise<void> {
    const [program = "", ...own] = this.#command;
    const child = spawn(program, [...own, ...words], { stdio: ["ignore", "inherit", "inherit"] });
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) throw new LabFailed(`\`kintsugi ${words.join(" ")}\` failed`);
  }

  /** Runs a command for the cluster, and returns its output. @throws LabFailed */
  run(words: readonly string[]): Promise<string> {
    return this.#output(words, ["--name", this.#cluster]);
  }

  /** Returns the names of the clusters of this host. @throws LabFailed */
  async clusters(): Promise<string[]> {
    const list = await this.#output(["list", "--output", "json"]);
    return (JSON.parse(list) as { name: string }[]).map(({ name }) => name);
  }

  /**
   * Sends a signal to a process of the control plane; if the service has several processes, to the
   * process that leads.
   */
  async signal(program: string, signal: "SIGSTOP" | "SIGCONT", pid?: number): Promise<number> {
    const found = pid ?? (await this.#leaderPid(program));
    process.kill(found, signal);
    return found;
  }

  async #output(words: readonly string[], cluster: readonly string[] = []): Promise<string> {
    const [program = "", ...own] = this.#command;
    try {
      const { stdout } = await promisify(execFile)(program, [...own, ...words, ...cluster], {
        maxBuffer: outputBytesMax,
        timeout: commandTimeoutMs,
      });
      return stdout;
    } catch (cause) {
      const { stderr = "", message } = cause as { stderr?: string; message: string };
      const said = stderr.trim() === "" ? message : stderr.trim();
      throw new LabFailed(`\`kintsugi ${words.join(" ")}\` failed: ${said}`, { cause });
    }
  }

  async #leaderPid(program: string): Promise<number> {
    const report = JSON.parse(await this.run(["status", "--output", "json"])) as {
      supervisor?: { components: { id: string; pid?: number }[] };
      servers: { name: string; leads: string[] }[];
    };
    const leader = report.servers.find(({ leads }) => leads.includes(program));
    const id = leader === undefined ? program : `${program}@${leader.name}`;
    const pid = report.supervisor?.components.find((each) => each.id === id)?.pid;
    if (pid === undefined) throw new LabFailed(`the cluster has no process ${id}`);
    return pid;
  }
}
