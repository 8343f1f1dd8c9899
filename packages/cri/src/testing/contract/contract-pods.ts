import { dirname, join } from "node:path";
import type { ContainerConfig, ContainerStatus } from "../../messages/container.ts";
import type { ContainerRuntime } from "../../container-runtime.ts";
import type { PodSandboxConfig } from "../../messages/sandbox.ts";
import { aContainerConfig, aSandboxConfig } from "../../simulated/configs.ts";

/** A runtime in the view of the contract. */
export interface RuntimeContractSubject extends AsyncDisposable {
  readonly runtime: ContainerRuntime;
  /** Another client of the same runtime, as a restarted kubelet opens it. */
  reconnect(): ContainerRuntime;
  /** Advances time, real or virtual. */
  pass(durationMs: number): Promise<void>;
  /** The parent of the sandboxes' cgroups. */
  readonly cgroupParent: string;
  readonly logRoot: string;
  makeLogDirectory(path: string): Promise<void>;
  readLog(path: string): Promise<string>;
  renameLog(from: string, to: string): Promise<void>;
  /**
   * The address of a stream as this process can reach it, because a runtime may listen in its own
   * network namespace.
   */
  reach(url: string): Promise<string>;
  /**
   * CRI's own event stream reports an OOM kill only if the runtime has detected the kill when it
   * reports the end; containerd may detect the kill later.
   */
  readonly tellsOomKills: boolean;
  /** containerd 1.7 gives each event of CRI's own stream to one of its subscribers. */
  readonly tellsEverySubscriber: boolean;
}

/** The step by which a wait advances time, and its limit. */
const stepMs = 20;
const waitMaxMs = 20_000;

/** Pods for the contract's tests, which `removeAll` removes. */
export class ContractPods {
  readonly #subject: RuntimeContractSubject;
  readonly #sandboxIds: string[] = [];
  #count = 0;

  constructor(subject: RuntimeContractSubject) {
    this.#subject = subject;
  }

  /** A name that is unique in this run. */
  newName(): string {
    return `pod-${++this.#count}`;
  }

  async start(over: Partial<PodSandboxConfig> = {}): Promise<ContractPod> {
    const name = over.metadata?.name ?? this.newName();
    const hostNetwork = over.linux?.namespaces.network === "node";
    const base = aSandboxConfig(name, {
      logDirectory: join(this.#subject.logRoot, name),
      hostname: hostNetwork ? "" : name,
      ...over,
    });
    const config = { ...base, linux: { ...base.linux, cgroupParent: this.#subject.cgroupParent } };
    const sandboxId = await this.#subject.runtime.runPodSandbox(config);
    this.#sandboxIds.push(sandboxId);
    return new ContractPod(this.#subject, sandboxId, config);
  }

  async removeAll(): Promise<void> {
    const ids = this.#sandboxIds.splice(0);
    await Promise.all(ids.map((id) => this.#subject.runtime.removePodSandbox(id)));
  }
}

type ContainerOverrides = NonNullable<Parameters<typeof aContainerConfig>[2]>;

export class ContractPod {
  readonly sandboxId: string;
  readonly config: PodSandboxConfig;
  readonly #subject: RuntimeContractSubject;

  constructor(subject: RuntimeContractSubject, sandboxId: string, config: PodSandboxConfig) {
    this.#subject = subject;
    this.sandboxId = sandboxId;
    this.config = config;
  }

  async create(name: string, script: string, over: ContainerOverrides = {}): Promise<string> {
    const config: ContainerConfig = aContainerConfig(name, script, over);
    if (config.logPath !== "") {
      await this.#subject.makeLogDirectory(dirname(join(this.config.logDirectory, config.logPath)));
    }
    return await this.#subject.runtime.createContainer({
      sandboxId: this.sandboxId,
      config,
      sandboxConfig: this.config,
    });
  }

  async run(name: string, script: string, over: ContainerOverrides = {}): Promise<string> {
    const id = await this.create(name, script, over);
    await this.#subject.runtime.startContainer(id);
    return id;
  }

  /** The status once the container has ended. */
  async ended(containerId: string): Promise<ContainerStatus> {
    return await eventually(this.#subject, async () => {
      const status = await this.#subject.runtime.containerStatus(containerId);
      return status.state === "exited" ? status : undefined;
    });
  }
}

/**
 * Repeats `ask`, while time passes, until `ask` returns an answer.
 * @throws after `waitMaxMs`.
 */
export async function eventually<T>(
  subject: RuntimeContractSubject,
  ask: () => Promise<T | undefined> | T | undefined,
  withinMs: number = waitMaxMs,
): Promise<T> {
  for (let waitedMs = 0; waitedMs <= withinMs; waitedMs += stepMs) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await subject.pass(stepMs);
  }
  throw new Error(`nothing came within ${withinMs} ms`);
}

/** Advances time until the work has ended, and returns its outcome. */
export async function during<T>(subject: RuntimeContractSubject, work: Promise<T>): Promise<T> {
  let settled = false;
  const finished = work.finally(() => (settled = true));
  // The outcome of the work is awaited below; until then a failure must not count as unhandled.
  finished.catch(() => {});
  for (let waitedMs = 0; !settled && waitedMs < waitMaxMs; waitedMs += stepMs) await subject.pass(stepMs);
  return await finished;
}
