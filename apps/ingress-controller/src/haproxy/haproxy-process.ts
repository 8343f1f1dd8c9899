import { execFile, spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@kintsugi/api";
import { backoffDelayMs, type Clock } from "@kintsugi/clock";

export interface HaproxyProcessDeps {
  clock: Clock;
  log: Logger;
}

export interface HaproxyProcessOptions {
  /** Path of the program. */
  readonly program: string;
  /** The directory of the file with the process's number. */
  readonly directory: string;
}

const checkTimeoutMs = 20_000;
const checkOutputBytesMax = 1024 * 1024;
const pollMs = 500;
/** Time that open connections have after a request to end. */
const drainMs = 2_000;
const endWaitMs = 5_000;
const backoff = { initialMs: 500, factor: 2, maxMs: 30_000 };

/**
 * HAProxy's master process. It outlives this process: when this process is killed, requests
 * continue to be served, and the next process finds the master by its file.
 */
export class HaproxyProcess {
  readonly #deps: HaproxyProcessDeps;
  readonly #options: HaproxyProcessOptions;
  #config: string | undefined;
  #pid: number | undefined;
  #failures = 0;

  constructor(deps: HaproxyProcessDeps, options: HaproxyProcessOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** Returns HAProxy's error about a configuration; undefined when the configuration is valid. */
  async check(config: string): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      const limits = { timeout: checkTimeoutMs, maxBuffer: checkOutputBytesMax };
      execFile(this.#options.program, ["-c", "-f", config], limits, (error, _stdout, stderr) => {
        if (error === null) return resolve(undefined);
        if (typeof error.code === "number") return resolve(stderr);
        reject(new Error(`${this.#options.program} cannot be run`, { cause: error }));
      });
    });
  }

  /**
   * Makes a running master read the configuration again, or starts a master with this
   * configuration.
   */
  async reload(config: string): Promise<void> {
    this.#config = config;
    const pid = await this.#findPid(config);
    if (pid === undefined) await this.#start(config);
    else process.kill(pid, "SIGUSR2");
  }

  /** Starts the master again when it ends. When the signal aborts, ends the master. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    try {
      while (!signal.aborted) {
        await clock.sleep(pollMs, signal);
        if (this.#config === undefined) continue;
        if (await this.#isOurs(this.#pid, this.#config)) {
          this.#failures = 0;
          continue;
        }
        this.#failures++;
        log.error("haproxy has ended", { failures: this.#failures });
        await clock.sleep(backoffDelayMs(this.#failures, backoff), signal);
        await this.reload(this.#config);
      }
    } finally {
      await this.#end();
    }
  }

  async #start(config: string): Promise<void> {
    // A separate process group, so that a Ctrl-C to this process does not end it.
    const child = spawn(this.#options.program, ["-W", "-q", "-f", config], {
      detached: true,
      stdio: ["ignore", "ignore", "inherit"],
    });
    const pid = await new Promise<number>((resolve, reject) => {
      child.once("spawn", () => resolve(child.pid ?? 0));
      child.once("error", (cause) => reject(new Error(`${this.#options.program} cannot be started`, { cause })));
    });
    child.unref();
    this.#pid = pid;
    await writeFile(this.#pidFile, String(pid), { mode: 0o600 });
    this.#deps.log.info("haproxy started", { pid });
  }

  /** The running master, of this process or of an earlier process. */
  async #findPid(config: string): Promise<number | undefined> {
    this.#pid ??= Number(await readFile(this.#pidFile, "utf8").catch(() => "")) || undefined;
    if (!(await this.#isOurs(this.#pid, config))) this.#pid = undefined;
    return this.#pid;
  }

  /**
   * The number may already belong to another program, so only a process with our configuration
   * counts.
   */
  async #isOurs(pid: number | undefined, config: string): Promise<boolean> {
    if (pid === undefined) return false;
    const words = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    return words.split("\0").includes(config);
  }

  async #end(): Promise<void> {
    const { clock } = this.#deps;
    const [pid, config] = [this.#pid, this.#config];
    if (pid === undefined || config === undefined) return;
    for (const [signal, waitMs] of [
      ["SIGUSR1", drainMs],
      ["SIGTERM", endWaitMs],
      ["SIGKILL", endWaitMs],
    ] as const) {
      if (!(await this.#isOurs(pid, config))) return;
      process.kill(pid, signal);
      const deadlineMs = clock.monotonicMs() + waitMs;
      while (clock.monotonicMs() < deadlineMs && (await this.#isOurs(pid, config))) await clock.sleep(20);
    }
  }

  get #pidFile(): string {
    return join(this.#options.directory, "haproxy.pid");
  }
}
