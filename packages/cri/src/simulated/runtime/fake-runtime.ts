import type { Clock, Random } from "@kintsugi/clock";
import {
  type ContainerRuntime,
  RuntimeError,
  type RuntimeHandler,
  type RuntimeVersion,
} from "../../container-runtime.ts";
import type { AdoptedPod } from "./adopted.ts";
import type { ContainerEnding } from "./container.ts";
import { FakeNode, type FakeNodeOptions, type Running } from "./fake-node.ts";
import { type CallName, faultyRuntime, type RuntimeCall, type RuntimeFaults } from "./faults.ts";
import { FakeImages } from "./images.ts";
import { type LogSink, MemoryLogs } from "./logs.ts";
import type { FakeStreams } from "./streams.ts";
import { littleUsage } from "./usage.ts";
import type { ContainerWitness } from "./witness.ts";

export interface FakeRuntimeDeps {
  clock: Clock;
  random: Random;
  /** Default: in memory. */
  logs?: LogSink;
  /** Carries exec, attach and port-forward. By default their addresses are unreachable. */
  streams?: FakeStreams;
}

export interface FakeRuntimeOptions extends Partial<FakeNodeOptions> {
  /** Images that the node has at the start. Default: busybox and pause. */
  images?: readonly string[];
  faults?: RuntimeFaults;
  callTimeoutMs?: number;
  /** Number of last calls to keep for assertions; 0 disables the record. Default 10,000. */
  callsKeptMax?: number;
}

/**
 * A container runtime in this process, with the handles that a test or a simulation needs on it.
 */
export interface FakeRuntime extends ContainerRuntime {
  readonly images: FakeImages;
  /** The last calls, at least `callsKeptMax`, oldest first. */
  readonly calls: readonly RuntimeCall[];
  callsOf(name: CallName): RuntimeCall[];
  /** Adopts a pod that was running in another runtime, with its identities and times. */
  adopt(pod: AdoptedPod): void;
  /** Ends a running container, as its own program would. */
  exitContainer(containerId: string, ending: ContainerEnding): void;
  /** The kernel kills the container because it is out of memory. */
  oomKillContainer(containerId: string): void;
  /**
   * The kernel kills a process in the container that is not its first process: the container
   * continues.
   */
  oomKillProcess(containerId: string): void;
  /** The sandbox's process crashes; the containers continue. */
  killSandbox(sandboxId: string): void;
  /** Every container and sandbox ends at the same time, as when the power fails. */
  powerOff(): void;
  /** Returns the running containers and sandboxes, bypassing all faults of calls. */
  running(): Running;
  /** Sets the reported handlers. The list is empty at first, as in containerd before 2.0. */
  setHandlers(handlers: readonly RuntimeHandler[]): void;
  /** Sets whether devices of the Container Device Interface are applied. Default: false. */
  setCdi(applies: boolean): void;
  /** Sets whether `supplementalGroupsPolicy` is applied. Default: false. */
  setGroupsPolicy(obeys: boolean): void;
  /** Sets the reported name and version, which determine the runtime's abilities. */
  setRelease(release: Pick<RuntimeVersion, "runtimeName" | "runtimeVersion">): void;
  /**
   * While `available` is false, every call fails as if the socket were closed, and event streams
   * end; containers continue.
   */
  setAvailable(available: boolean): void;
  /**
   * Calls `witness` immediately for every event of containers, bypassing all faults of the runtime.
   * Returns a function that stops the calls.
   */
  witness(witness: ContainerWitness): () => void;
}

/** Calls in which a fake node waits, and which its signal can therefore end. */
const interruptible: ReadonlySet<CallName> = new Set([
  "stopPodSandbox",
  "removePodSandbox",
  "stopContainer",
  "pullImage",
]);

/** Limit on recorded calls, because a simulation of hours makes more calls than fit in memory. */
const callsKeptMaxDefault = 10_000;

export function createFakeRuntime(deps: FakeRuntimeDeps, options: FakeRuntimeOptions = {}): FakeRuntime {
  const { clock, random, logs = new MemoryLogs(), streams } = deps;
  const { callsKeptMax = callsKeptMaxDefault } = options;
  const { images: names = ["busybox:latest", "busybox:1.36", "registry.k8s.io/pause:3.9"] } = options;
  const images = new FakeImages(clock);
  for (const name of names) images.add(name);
  const node = new FakeNode(
    { clock, random, logs, images, streams },
    {
      podCidr: options.podCidr ?? "10.244.0.0/24",
      usage: options.usage ?? littleUsage,
      ...(options.program ? { program: options.program } : {}),
      ...(options.answerOfPort ? { answerOfPort: options.answerOfPort } : {}),
    },
  );
  const calls: RuntimeCall[] = [];
  let available = true;
  const refuseWhenDown = () => {
    if (!available) throw new RuntimeError("unavailable", "the runtime is down");
  };
  const { faults = {} } = options;
  const runtime = faultyRuntime(clock, node, {
    interruptible,
    ...(options.callTimeoutMs === undefined ? {} : { callTimeoutMs: options.callTimeoutMs }),
    faults: {
      ...(faults.deliver ? { deliver: (event) => faults.deliver?.(event) ?? true } : {}),
      ...(faults.answer ? { answer: (call, answer) => faults.answer?.(call, answer) } : {}),
      before: (call) => {
        refuseWhenDown();
        return faults.before?.(call);
      },
      after: (call) => {
        const delay = faults.after?.(call);
        if (delay === undefined) return refuseWhenDown();
        return delay.then(refuseWhenDown);
      },
    },
    onCall: (call) => {
      if (callsKeptMax === 0) return;
      calls.push(call);
      // Old calls are removed in blocks, because removing the first of ten thousand entries moves
      // all other entries.
      if (calls.length >= 2 * callsKeptMax) calls.splice(0, callsKeptMax);
    },
  });
  return {
    ...runtime,
    images,
    calls,
    callsOf: (name) => calls.filter((call) => call.name === name),
    ...handlesOf(node),
    setAvailable: (next) => {
      available = next;
      if (!next) node.hub.disconnect();
    },
    events: async function* (signal) {
      refuseWhenDown();
      yield* runtime.events(signal);
    },
  };
}

/** The handles that only change the node. */
function handlesOf(node: FakeNode) {
  return {
    adopt: (pod) => node.adopt(pod),
    exitContainer: (containerId, ending) => node.container(containerId).end(ending),
    oomKillContainer: (containerId) => node.container(containerId).oomKill(),
    oomKillProcess: (containerId) => node.oomKillProcess(containerId),
    killSandbox: (sandboxId) => node.killSandbox(sandboxId),
    powerOff: () => node.powerOff(),
    running: () => node.running(),
    setHandlers: (handlers) => {
      node.handlers = [...handlers];
    },
    setCdi: (applies) => {
      node.hasCdi = applies;
    },
    setGroupsPolicy: (obeys) => {
      node.obeysGroupsPolicy = obeys;
    },
    setRelease: (release) => {
      node.release = release;
    },
    witness: (witness) => {
      node.witnesses.add(witness);
      return () => node.witnesses.delete(witness);
    },
  } satisfies Partial<FakeRuntime>;
}
