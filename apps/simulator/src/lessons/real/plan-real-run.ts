import type { PlannedFault, Scenario, ScenarioNode } from "@kintsugi/simulation";
import { controllerOptions } from "@kintsugi/controller-manager/factory";
import { flagsOf, type FlagTable } from "@kintsugi/daemon";
import { kubeletFlags } from "@kintsugi/kubelet/factory";
import { timerOptions as serverOptions } from "@kintsugi/api-server/factory";

// A scenario becomes a cluster of `kintsugi up` and a list of acts with their times:
//
//   nodes, timers, servers → a topology file        workloads → objects with containers of busybox
//   kill-node node-2 at 1m → `kintsugi node kill node-2` at 1m

/** One command or one other change, at a time since the cluster was complete. */
export interface RealAct {
  readonly atMs: number;
  readonly action: RealAction;
}

export type RealAction =
  /** `kintsugi node kill node-2`; the cluster's name is added to the command. */
  | { readonly is: "command"; readonly words: readonly string[]; readonly machine: MachineChange }
  /**
   * Stops a process with SIGSTOP, or resumes it; if there are several servers, the process that
   * leads.
   */
  | { readonly is: "pause" | "resume"; readonly program: string }
  /** Gives a workload an image that does not exist, or its own image again. */
  | { readonly is: "break-image" | "mend-image"; readonly workload: string };

/** The effect of a command on the pods of a machine. */
export type MachineChange =
  /** All containers end. */
  | { readonly is: "off"; readonly node: string }
  /** The containers run, but clients cannot reach them. */
  | { readonly is: "cut"; readonly node: string }
  | { readonly is: "connected"; readonly node: string }
  /** The pods continue to run. */
  | { readonly is: "none" };

export type RealPlan =
  | { readonly isPossible: true; readonly topology: RealTopology; readonly acts: readonly RealAct[] }
  /** `because` is one sentence for users. */
  | { readonly isPossible: false; readonly because: string };

/**
 * The fields of a topology file that lessons need. The simulator does not import the lab, whose
 * settings define the file; `test/tidy/lesson-table.test.ts` checks the fields against the schema
 * of the file.
 */
interface RealTopology {
  readonly apiVersion: "kintsugi.dev/v1";
  readonly kind: "Topology";
  readonly name: string;
  readonly profile: string;
  readonly nodes: readonly { readonly name: string; readonly zone?: string }[];
  readonly servers?: number;
  readonly rebalance?: true;
  readonly kubelet?: Readonly<Record<string, string | number>>;
  readonly controllerManager?: Readonly<Record<string, string | number>>;
  readonly apiServer?: Readonly<Record<string, string | number>>;
}

/** A machine of a simulated run, for which the requests of a lesson are written. */
const simulatedProcessors = 4;

/**
 * Plans a scenario on real containers.
 * @param timerValues the scenario's own timers, by flag
 */
export function planRealRun(
  scenario: Scenario,
  options: { readonly cluster: string; readonly timerValues: Readonly<Record<string, string | number>> },
): RealPlan {
  const acts: RealAct[] = [];
  for (const fault of scenario.faults) {
    const means = meansOf(fault);
    if ("because" in means) return { isPossible: false, because: means.because };
    acts.push({ atMs: fault.atMs, action: means.begin });
    if (fault.forMs !== undefined) acts.push({ atMs: fault.atMs + fault.forMs, action: means.end });
  }
  const isWithin = ({ atMs }: RealAct) => atMs < scenario.durationMs;
  const inOrder = acts.filter(isWithin).toSorted((a, b) => a.atMs - b.atMs);
  return { isPossible: true, topology: topologyOf(scenario, options), acts: inOrder };
}

/** The requests of a lesson's pods, scaled so that as many fit on a node as in a simulated run. */
export function scaledMillicores(millicores: number, hostProcessors: number): number {
  return Math.max(1, Math.floor((millicores * hostProcessors) / simulatedProcessors));
}

type Means = { readonly begin: RealAction; readonly end: RealAction } | { readonly because: string };

function meansOf({ fault, target = "" }: PlannedFault): Means {
  const unaffected: MachineChange = { is: "none" };
  const command = (words: readonly string[], machine: MachineChange): RealAction => ({ is: "command", words, machine });
  const connected: MachineChange = { is: "connected", node: target };
  switch (fault) {
    case "kill-node":
      return {
        begin: command(["node", "kill", target], { is: "off", node: target }),
        end: command(["node", "return", target], connected),
      };
    case "cut-node":
      return {
        begin: command(["node", "partition", target], { is: "cut", node: target }),
        end: command(["node", "heal", target], connected),
      };
    case "kill-kubelet":
      return {
        begin: command(["node", "stop-kubelet", target], unaffected),
        end: command(["node", "start-kubelet", target], unaffected),
      };
    case "kill-server":
      return {
        begin: command(["server", "kill", target], unaffected),
        end: command(["server", "return", target], unaffected),
      };
    case "cut-server-from-log":
      return {
        begin: command(["server", "partition", target, "--from", "etcd"], unaffected),
        end: command(["server", "heal", target], unaffected),
      };
    // A killed service is restarted immediately, so a longer absence is a SIGSTOP.
    case "kill-service":
    case "pause-service":
      return { begin: { is: "pause", program: target }, end: { is: "resume", program: target } };
    case "roll-out-broken":
      return { begin: { is: "break-image", workload: target }, end: { is: "mend-image", workload: target } };
    case "bus-in-disorder":
      return {
        because: "the message bus of a real cluster delivers in order, and Kintsugi cannot disturb the bus",
      };
    default:
      return { because: `the fault ${fault} has no counterpart on real containers` };
  }
}

function topologyOf(
  { nodes, profile, world }: Scenario,
  { cluster, timerValues }: Parameters<typeof planRealRun>[1],
): RealTopology {
  return {
    apiVersion: "kintsugi.dev/v1",
    kind: "Topology",
    name: cluster,
    profile,
    nodes: nodes.map(({ name, zone }: ScenarioNode) => ({ name, ...(zone === undefined ? {} : { zone }) })),
    ...(world.servers === undefined ? {} : { servers: world.servers }),
    ...(world.rebalance ? { rebalance: true } : {}),
    ...withFlags("kubelet", kubeletFlags, timerValues),
    ...withFlags("controllerManager", flagsOf(controllerOptions), timerValues),
    ...withFlags("apiServer", serverOptions, timerValues),
  };
}

/** A timer is a flag of each program that has it. */
function withFlags(
  field: "kubelet" | "controllerManager" | "apiServer",
  table: FlagTable,
  values: Readonly<Record<string, string | number>>,
): Partial<RealTopology> {
  const own = Object.fromEntries(Object.entries(values).filter(([flag]) => table[flag] !== undefined));
  return Object.keys(own).length === 0 ? {} : { [field]: own };
}
