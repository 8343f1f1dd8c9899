import type { CalledFault, FaultDesk } from "@kintsugi/test-server/factory";
import { msOf, type TimeSpan } from "./test-clock.ts";

/** An injected fault; `await using` undoes it at the end of the block. */
export interface FaultHandle extends AsyncDisposable {
  readonly name: string;
  /** Repeatable. */
  undo(): Promise<void>;
}

export interface FaultCall {
  /** A node, a service, a process or a zone; drawn by the seed if it is absent. */
  target?: string;
  /** The settings of the fault, such as `{ share: 0.25, userAgent: "my-operator" }`. */
  with?: Readonly<Record<string, number | string>>;
  /** The cluster time after which the fault is undone. */
  for?: TimeSpan;
  /** The seed of all random values. Default 1. */
  seed?: number;
}

export interface TestFaults {
  /** The names of all faults that can be injected. */
  readonly names: readonly string[];
  /** @throws ApiError when the fault or its target does not exist. */
  call(fault: string, options?: FaultCall): Promise<FaultHandle>;
  /** Lists the active faults. */
  list(): readonly CalledFault[];
  undoAll(): Promise<void>;
}

/** The nodes of a cluster; each fault of a node is undone by its handle. */
export interface TestNodes {
  readonly names: readonly string[];
  /**
   * Cuts the power; when the fault is undone, the node returns with the remaining contents of the
   * disk.
   */
  kill(node: string): Promise<FaultHandle>;
  /** Cuts the connection between the node and the API server; its pods continue. */
  cutOff(node: string): Promise<FaultHandle>;
  stopKubelet(node: string): Promise<FaultHandle>;
  /** Each message between the node and the API server is delayed by up to this time. */
  slow(node: string, delay: TimeSpan): Promise<FaultHandle>;
}

/** The tests' access to a cluster's faults. */
export function testFaults(desk: FaultDesk, names: readonly string[]): TestFaults {
  return {
    names,
    call: async (fault, { target, with: settings = {}, for: lasting, seed = 1 } = {}) => {
      const forMs = lasting === undefined ? undefined : msOf(lasting);
      const { name } = await desk.call({ fault, target, with: settings, forMs, seed });
      const undo = async () => {
        if (desk.list().some((each) => each.name === name)) await desk.undo(name);
      };
      return { name, undo, [Symbol.asyncDispose]: undo };
    },
    list: () => desk.list(),
    undoAll: async () => void (await desk.undoAll()),
  };
}

/** The nodes of a cluster, with the faults that can be injected into them. */
export function testNodes(faults: TestFaults, names: readonly string[]): TestNodes {
  return {
    names,
    kill: (target) => faults.call("kill-node", { target }),
    cutOff: (target) => faults.call("cut-node", { target }),
    stopKubelet: (target) => faults.call("kill-kubelet", { target }),
    slow: (target, delay) => faults.call("grey-network", { target, with: { loss: 0, delayMs: msOf(delay) } }),
  };
}
