import { type Clock, untilAborted } from "@kintsugi/clock";
import type {
  Container,
  ContainerConfig,
  ContainerState,
  ContainerStatus,
  ExecSyncResult,
  LinuxContainerResources,
} from "../../messages/container.ts";
import { RuntimeError } from "../../container-runtime.ts";
import { type ContainerProgram, scriptOfCommand } from "../script/container-program.ts";
import type { FakeProcess, ProcessWorld } from "../script/process.ts";
import { runShell } from "../script/run-shell.ts";
import type { LogWriter } from "./logs.ts";
import type { CommandIo } from "./streams.ts";

/** 128 + 9. */
const killedStatus = 137;
/** containerd's exit code for a container whose program could not be started. */
const startErrorStatus = 128;

export interface FakeContainerDeps {
  clock: Clock;
  log: LogWriter;
  onEvent(type: "started" | "stopped" | "oom"): void;
}

export interface FakeContainerSpec {
  id: string;
  sandboxId: string;
  config: ContainerConfig;
  program: ContainerProgram;
  /** The image's usual name, even if the request has another reference. */
  imageName: string;
  imageRef: string;
  /** Absolute; empty without a log. */
  logPath: string;
}

export interface ContainerEnding {
  exitCode: number;
  reason?: string;
  message?: string;
}

/** One container of the fake: created → running → exited. */
export class FakeContainer {
  readonly spec: FakeContainerSpec;
  resources: LinuxContainerResources;
  readonly #deps: FakeContainerDeps;
  readonly #createdAtMs: number;
  readonly #files = new Map<string, string>();
  #state: ContainerState = "created";
  #startedAtMs = 0;
  #finishedAtMs = 0;
  #ending: Required<ContainerEnding> = { exitCode: 0, reason: "", message: "" };
  #process: FakeProcess | undefined;
  /** Aborted when the container has ended. */
  readonly #ended = new AbortController();
  /** The attached clients. */
  readonly #followers = new Set<CommandIo>();
  #giveInput: (text: string) => void = () => {};
  /** The streams of the container's own program. */
  readonly #ownIo: CommandIo;

  constructor(deps: FakeContainerDeps, spec: FakeContainerSpec) {
    this.#ownIo = {
      write: (stream, text) => {
        deps.log.write(stream, text);
        for (const follower of this.#followers) follower.write(stream, text);
      },
      ...(spec.config.stdin ? { input: new Promise<string>((resolve) => (this.#giveInput = resolve)) } : {}),
    };
    this.#deps = deps;
    this.spec = spec;
    this.resources = spec.config.linux.resources;
    this.#createdAtMs = deps.clock.nowMs();
  }

  get state(): ContainerState {
    return this.#state;
  }

  start(): void {
    const { id, program, config } = this.spec;
    if (this.#state !== "created") {
      throw new RuntimeError(
        "failed",
        `failed to start container "${id}": container is in ${wireName(this.#state)} state`,
      );
    }
    if (program.type === "fails") {
      this.#finish({ exitCode: startErrorStatus, reason: "StartError", message: program.message });
      throw new RuntimeError("failed", `failed to create containerd task: ${program.message}`);
    }
    this.#state = "running";
    this.#startedAtMs = this.#deps.clock.nowMs();
    this.#deps.onEvent("started");
    const firstInNamespace = config.linux.security.namespaces.pid === "container";
    this.#process =
      program.type === "shell"
        ? runShell(program.source, this.#world(this.#ownIo), { firstInNamespace })
        : serverProcess();
    void this.#process.exited.then((exitCode) => this.end({ exitCode }));
  }

  /** SIGTERM, then SIGKILL when that much time has passed. */
  async stop(timeoutSeconds: number, signal?: AbortSignal): Promise<void> {
    // A container that was never started is unchanged, as with containerd.
    if (this.#state !== "running") return;
    if (timeoutSeconds > 0) {
      this.#process?.terminate();
      await this.#grace(timeoutSeconds * 1000, signal);
      if (signal?.aborted) {
        throw new RuntimeError("cancelled", `stopping container "${this.spec.id}" was cancelled`, {
          cause: signal.reason,
        });
      }
    }
    this.end({ exitCode: killedStatus });
  }

  /** Ends the container now, in the middle of its program. Does nothing when it is not running. */
  end(ending: ContainerEnding): void {
    if (this.#state === "running") this.#finish(ending);
  }

  oomKill(): void {
    if (this.#state !== "running") return;
    this.#deps.onEvent("oom");
    this.end({ exitCode: killedStatus, reason: "OOMKilled" });
  }

  /** Resolves when the container has ended. */
  exited(): Promise<void> {
    return untilAborted(this.#ended.signal);
  }

  async exec(command: readonly string[], timeoutSeconds: number): Promise<ExecSyncResult> {
    const output = { stdout: "", stderr: "" };
    const { exited } = this.#startCommand(command, { write: (stream, text) => (output[stream] += text) });
    const done = new AbortController();
    const timeoutMs = timeoutSeconds > 0 ? timeoutSeconds * 1000 : Number.POSITIVE_INFINITY;
    const expired = this.#grace(timeoutMs, done.signal).then(() => (this.#ended.signal.aborted ? killedStatus : -1));
    const exitCode = await Promise.race([exited, expired]);
    done.abort();
    if (exitCode < 0) {
      throw new RuntimeError(
        "deadlineExceeded",
        `failed to exec in container: timeout ${timeoutSeconds}s exceeded: context deadline exceeded`,
      );
    }
    return { stdout: Buffer.from(output.stdout), stderr: Buffer.from(output.stderr), exitCode };
  }

  /**
   * Runs a command with a client on its streams. Resolves with the exit code.
   * @throws RuntimeError when the command cannot start.
   */
  async run(command: readonly string[], io: CommandIo): Promise<number> {
    const { exited } = this.#startCommand(command, io);
    return await Promise.race([exited, this.exited().then(() => killedStatus)]);
  }

  /** Connects a client's streams to the container's own program, until the program ends. */
  async attach(io: CommandIo): Promise<void> {
    const { program } = this.spec;
    const script = program.type === "fails" ? undefined : program.attachScript?.();
    if (script !== undefined) {
      const { exited } = runShell(script, this.#world(io), { firstInNamespace: false });
      await Promise.race([exited, this.exited()]);
      return;
    }
    this.#followers.add(io);
    if (this.spec.config.stdin) void io.input?.then((text) => this.#giveInput(text));
    await this.exited();
    this.#followers.delete(io);
  }

  /** @throws RuntimeError */
  #startCommand(command: readonly string[], io: CommandIo): FakeProcess {
    if (this.#state !== "running") {
      throw new RuntimeError("failed", `failed to exec in container: container is in ${wireName(this.#state)} state`);
    }
    const { program } = this.spec;
    const fixed = program.type === "server" ? program.execStatus : undefined;
    const scripted = program.type === "fails" ? undefined : program.execScript?.();
    const source = fixed === undefined ? (scriptOfCommand(command) ?? scripted) : `exit ${fixed}`;
    if (source === undefined) {
      throw new RuntimeError(
        "failed",
        `failed to exec in container: failed to start exec: OCI runtime exec failed: exec failed: unable to start container process: exec: "${command[0] ?? ""}": executable file not found in $PATH: unknown`,
      );
    }
    return runShell(source, this.#world(io), { firstInNamespace: false });
  }

  summary(): Container {
    const { id, sandboxId, config, imageName, imageRef } = this.spec;
    return {
      id,
      sandboxId,
      metadata: { ...config.metadata },
      image: imageName,
      imageRef,
      state: this.#state,
      createdAtMs: this.#createdAtMs,
      labels: { ...config.labels },
      annotations: { ...config.annotations },
    };
  }

  status(): ContainerStatus {
    const { id, metadata, image, imageRef, state, createdAtMs, labels, annotations } = this.summary();
    const { exitCode, reason, message } = this.#ending;
    return {
      id,
      metadata,
      image,
      imageRef,
      state,
      createdAtMs,
      labels,
      annotations,
      startedAtMs: this.#startedAtMs,
      finishedAtMs: this.#finishedAtMs,
      exitCode,
      reason,
      message,
      logPath: this.spec.logPath,
      mounts: this.spec.config.mounts.map((mount) => ({ ...mount })),
    };
  }

  #finish({ exitCode, reason, message = "" }: ContainerEnding): void {
    const ran = this.#state === "running";
    this.#state = "exited";
    this.#finishedAtMs = this.#deps.clock.nowMs();
    this.#ending = { exitCode, reason: reason ?? (exitCode === 0 ? "Completed" : "Error"), message };
    if (ran) this.#deps.onEvent("stopped");
    this.#ended.abort();
  }

  #world(io: CommandIo): ProcessWorld {
    const killed = () => this.#state !== "running";
    return {
      files: this.#files,
      input: io.input ?? Promise.resolve(""),
      write: (stream, text) => (killed() ? undefined : io.write(stream, text)),
      exhaustMemory: () => this.oomKill(),
      sleep: (durationMs) => this.#sleep(durationMs),
      get killed() {
        return killed();
      },
    };
  }

  async #sleep(durationMs: number): Promise<void> {
    if (durationMs > 0) await this.#grace(durationMs);
  }

  /** Resolves when the time has passed, the container has ended, or the signal aborts. */
  async #grace(durationMs: number, signal?: AbortSignal): Promise<void> {
    const either = signal ? AbortSignal.any([signal, this.#ended.signal]) : this.#ended.signal;
    if (Number.isFinite(durationMs)) await this.#deps.clock.sleep(durationMs, either).catch(() => {});
    else if (!either.aborted)
      await new Promise<void>((resolve) => either.addEventListener("abort", () => resolve(), { once: true }));
  }
}

/** The process of a server, which ends at the stop signal. */
function serverProcess(): FakeProcess {
  let end: (status: number) => void = () => {};
  const exited = new Promise<number>((resolve) => (end = resolve));
  return { exited, terminate: () => end(0) };
}

function wireName(state: ContainerState): string {
  return `CONTAINER_${state.toUpperCase()}`;
}
