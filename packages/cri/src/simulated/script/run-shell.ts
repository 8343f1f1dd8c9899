import { parseDurationMs } from "./duration.ts";
import type { FakeProcess, ProcessWorld } from "./process.ts";
import { parseShell, type ShellChain, type ShellCommand, type ShellList, ShellSyntaxError } from "./shell-syntax.ts";

export interface ShellOptions {
  /** The first process of a PID namespace is not ended by a SIGTERM that it does not catch. */
  firstInNamespace: boolean;
}

/**
 * The effect of a command on the script: continue with this status, or end the whole script with
 * it.
 */
interface Outcome {
  status: number;
  exit: boolean;
}

/** 128 + 15. */
const terminatedStatus = 143;
/** Limit on turns of an endless loop in which time does not advance; scripts need fewer turns. */
const idleTurnsMax = 10_000;

/**
 * Runs a script (see `parseShell` for the language, `ShellRun.commands` for the programs) in
 * virtual or real time.
 */
export function runShell(source: string, world: ProcessWorld, options: ShellOptions): FakeProcess {
  return new ShellRun(world, options).start(source);
}

class ShellRun {
  readonly #world: ProcessWorld;
  readonly #options: ShellOptions;
  /** The trap of SIGTERM: undefined for the default action, empty if the signal is ignored. */
  #trap: string | undefined;
  #termPending = false;
  readonly #onTerm = new Set<() => void>();
  readonly #background = new Set<Promise<Outcome>>();

  constructor(world: ProcessWorld, options: ShellOptions) {
    this.#world = world;
    this.#options = options;
  }

  start(source: string): FakeProcess {
    const terminated = new Promise<Outcome>((resolve) => {
      this.#onTerm.add(() => {
        const fatal = this.#trap === undefined && !this.#options.firstInNamespace;
        if (fatal) resolve({ status: terminatedStatus, exit: true });
      });
    });
    const exited = Promise.race([this.#script(source), terminated]).then(({ status }) => {
      return this.#world.killed ? new Promise<never>(() => {}) : status;
    });
    return { exited, terminate: () => this.#terminate() };
  }

  #terminate(): void {
    this.#termPending = this.#trap !== undefined && this.#trap !== "";
    for (const listener of this.#onTerm) listener();
  }

  async #script(source: string): Promise<Outcome> {
    try {
      return await this.#list(parseShell(source));
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error;
      this.#world.write("stderr", `sh: syntax error: ${error.message}\n`);
      return { status: 2, exit: true };
    }
  }

  async #list(list: ShellList): Promise<Outcome> {
    let outcome: Outcome = { status: 0, exit: false };
    for (const chain of list) {
      if (chain.background) {
        const running = this.#chain(chain);
        this.#background.add(running);
        void running.then(() => this.#background.delete(running));
        outcome = { status: 0, exit: false };
      } else {
        outcome = await this.#chain(chain);
      }
      if (outcome.exit) return outcome;
    }
    return outcome;
  }

  async #chain({ steps }: ShellChain): Promise<Outcome> {
    let outcome: Outcome = { status: 0, exit: false };
    for (const { join, command } of steps) {
      if ((join === "and" && outcome.status !== 0) || (join === "or" && outcome.status === 0)) continue;
      outcome = await this.#command(command);
      outcome = await this.#runTrap(outcome);
      if (outcome.exit || this.#world.killed) return { ...outcome, exit: true };
    }
    return outcome;
  }

  async #runTrap(outcome: Outcome): Promise<Outcome> {
    if (!this.#termPending || outcome.exit || !this.#trap) return outcome;
    this.#termPending = false;
    const trapped = await this.#list(parseShell(this.#trap));
    return trapped.exit ? trapped : outcome;
  }

  async #command(command: ShellCommand): Promise<Outcome> {
    if (command.type === "forever") return this.#forever(command.body);
    const [name = "", ...args] = command.words;
    const builtin = Object.hasOwn(this.#commands, name) ? this.#commands[name] : undefined;
    if (!builtin) {
      this.#world.write("stderr", `sh: ${name}: not found\n`);
      return { status: 127, exit: false };
    }
    const output: string[] = [];
    const outcome = await builtin(args, (text) => output.push(text));
    this.#redirect(output.join(""), command.redirect);
    return typeof outcome === "number" ? { status: outcome, exit: false } : outcome;
  }

  async #forever(body: ShellList): Promise<Outcome> {
    for (let idleTurns = 0; !this.#world.killed; idleTurns++) {
      const before = this.#slept;
      const outcome = await this.#list(body);
      if (outcome.exit) return outcome;
      if (this.#slept > before) idleTurns = 0;
      if (idleTurns > idleTurnsMax) throw new Error("a scripted container loops without ever sleeping");
    }
    return { status: 0, exit: true };
  }

  #slept = 0;

  async #sleep(durationMs: number): Promise<void> {
    this.#slept++;
    await this.#world.sleep(durationMs);
  }

  #redirect(text: string, redirect: (ShellCommand & { type: "simple" })["redirect"]): void {
    const { files } = this.#world;
    if (!redirect) {
      if (text !== "") this.#world.write("stdout", text);
    } else if (redirect.operator === ">&") {
      this.#world.write(redirect.target === "2" ? "stderr" : "stdout", text);
    } else if (redirect.target !== "/dev/null") {
      const before = redirect.operator === ">>" ? (files.get(redirect.target) ?? "") : "";
      files.set(redirect.target, before + text);
    }
  }

  /** The available programs. Each returns its status, or an outcome that ends the script. */
  readonly #commands: Readonly<
    Record<string, (args: string[], print: (text: string) => void) => Promise<number | Outcome> | number | Outcome>
  > = {
    ":": () => 0,
    true: () => 0,
    false: () => 1,
    echo: (args, print) => {
      print(`${args.join(" ")}\n`);
      return 0;
    },
    exit: ([status = "0"]) => ({ status: Number(status) & 0xff, exit: true }),
    sleep: async (args) => {
      for (const arg of args) {
        const durationMs = parseDurationMs(arg);
        if (durationMs === undefined) return this.#complain(`sleep: invalid number '${arg}'`, 1);
        await this.#sleep(durationMs);
      }
      return 0;
    },
    exec: async (words) => ({ ...(await this.#command({ type: "simple", words })), exit: true }),
    sh: async ([flag, source]) => {
      if (flag !== "-c" || source === undefined) return this.#complain("sh: only sh -c is supported", 2);
      return (await this.#script(source)).status;
    },
    trap: ([body = "", ...signals]) => {
      if (signals.some((signal) => /^(?:SIG)?TERM$|^15$/.test(signal))) this.#trap = body === "-" ? undefined : body;
      return 0;
    },
    wait: async () => {
      this.#slept++;
      const term = new Promise<void>((resolve) => this.#onTerm.add(resolve));
      await Promise.race([Promise.all(this.#background), term]);
      return 0;
    },
    touch: (paths) => {
      for (const path of paths) this.#world.files.set(path, this.#world.files.get(path) ?? "");
      return 0;
    },
    rm: (args) => {
      const paths = args.filter((arg) => !arg.startsWith("-"));
      const missing = paths.filter((path) => !this.#world.files.delete(path));
      if (missing.length === 0 || args.includes("-f") || args.includes("-rf")) return 0;
      return this.#complain(`rm: can't remove '${missing[0]}': No such file or directory`, 1);
    },
    cat: async (paths, print) => {
      if (paths.length === 0) print((await this.#world.input) ?? "");
      for (const path of paths) {
        const content = this.#world.files.get(path);
        if (content === undefined) return this.#complain(`cat: can't open '${path}': No such file or directory`, 1);
        print(content);
      }
      return 0;
    },
    test: (args) => this.#test(args),
    "[": (args) => this.#test(args.slice(0, -1)),
    /** `tail /dev/zero` retains all of its input; `tail -f /dev/null` waits forever. */
    tail: async (args) => {
      if (args.includes("/dev/zero")) this.#world.exhaustMemory();
      else if (!args.includes("-f")) return this.#complain("tail: only /dev/zero and -f are supported", 2);
      await this.#sleep(Number.POSITIVE_INFINITY);
      return 0;
    },
  };

  #test([flag = "", path = ""]: string[]): number {
    if (!["-e", "-f"].includes(flag)) return this.#complain(`test: ${flag} is not supported`, 2);
    return this.#world.files.has(path) ? 0 : 1;
  }

  #complain(text: string, status: number): number {
    this.#world.write("stderr", `${text}\n`);
    return status;
  }
}
