import { systemClock } from "@kintsugi/clock";
import type { RehearsalQuestion, ScenarioStroke } from "@kintsugi/rehearsal";
import type { HollowTarget } from "../hollow/hollow-target.ts";
import type { KubernetesPlane } from "../peers/kubernetes-plane.ts";
import type { MeasuredRun } from "./measured-run.ts";

/** The surroundings of a fault that is injected. */
export interface UpstreamActing {
  readonly run: MeasuredRun;
  readonly targets: readonly string[];
  readonly hollow: HollowTarget;
  readonly plane: KubernetesPlane;
  readonly kubectl: (...words: string[]) => Promise<string>;
}

export interface UpstreamFault {
  readonly name: string;
  /** The nodes, by the app of a pod on them. */
  targets(nodeOf: (app: string) => string, zoneOf: (node: string) => readonly string[]): readonly string[];
  question(targets: readonly string[]): RehearsalQuestion;
  /** Injects the fault, and returns when its effects have ended. */
  strike(acting: UpstreamActing): Promise<void>;
}

const sleep = (ms: number) => systemClock.sleep(ms);
const drainMaxMs = 60_000;
const silenceMs = 20_000;
const awayMs = 60_000;
/**
 * Longest time in which no pod changes although its replacement follows: the grace period of 40 s,
 * the intervals of the checks and of evictions, the toleration of 5 s, and a start.
 */
const unchangedMs = 90_000;

const stroke = (fault: string, target: string, more: Partial<ScenarioStroke> = {}): ScenarioStroke => ({
  fault,
  atMs: 0,
  target,
  ...more,
});

const nodesOff = (name: string, targets: UpstreamFault["targets"]): UpstreamFault => ({
  name,
  targets,
  question: (nodes) => ({ kind: "nodes-off", about: name, nodes: [...nodes] }),
  strike: async ({ run, hollow, targets: nodes }) => {
    await hollow.setPower(nodes, "off");
    run.nodes(nodes, "lost");
    await run.untilRest({ atLeastMs: 20_000, quietMs: unchangedMs, mostMs: 130_000 });
  },
});

const drainOf = ({ kubectl }: UpstreamActing, node: string) =>
  kubectl("drain", node, "--ignore-daemonsets", `--timeout=${drainMaxMs / 1000}s`, "--delete-emptydir-data").catch(
    () => "",
  );

const drain: UpstreamFault = {
  name: "drain under a budget",
  targets: (nodeOf) => [nodeOf("pair")],
  question: ([name = ""]) => ({
    kind: "scenario",
    about: "a node is drained",
    faults: [stroke("drain", name, { forMs: drainMaxMs })],
    runMs: drainMaxMs,
  }),
  strike: async (acting) => {
    const { run, targets, kubectl } = acting;
    const [name = ""] = targets;
    const beganMs = systemClock.monotonicMs();
    await drainOf(acting, name);
    await sleep(Math.max(0, drainMaxMs - (systemClock.monotonicMs() - beganMs)));
    await kubectl("uncordon", name);
    await run.untilRest({ atLeastMs: drainMaxMs + 1_000, quietMs: 20_000, mostMs: 90_000 });
  },
};

const rolling: UpstreamFault = {
  name: "rolling replacement",
  targets: (nodeOf) => [...new Set([nodeOf("solo-c"), nodeOf("pair")])],
  question: (nodes) => ({ kind: "drains", about: "nodes are replaced", nodes: [...nodes], rebootMs: silenceMs }),
  strike: async (acting) => {
    const { run, targets, hollow, kubectl } = acting;
    for (const name of targets) {
      await drainOf(acting, name);
      await hollow.setPower([name], "off");
      run.nodes([name], "lost");
      await sleep(silenceMs);
      await hollow.setPower([name], null);
      run.nodes([name], "back");
      await sleep(5_000);
      await kubectl("uncordon", name);
    }
    await run.untilRest({ atLeastMs: 5_000, quietMs: 20_000, mostMs: 200_000 });
  },
};

const silence: UpstreamFault = {
  name: "silence within grace",
  targets: (nodeOf) => [nodeOf("solo-b")],
  question: ([name = ""]) => ({
    kind: "scenario",
    about: "a kubelet is silent",
    faults: [stroke("pause-kubelet", name, { forMs: silenceMs })],
    runMs: 2 * silenceMs,
  }),
  strike: async ({ run, targets, hollow }) => {
    await hollow.setPower(targets, "paused");
    await sleep(silenceMs);
    await hollow.setPower(targets, null);
    await run.untilRest({ atLeastMs: 2 * silenceMs, quietMs: 10_000, mostMs: 60_000 });
  },
};

const planeAway: UpstreamFault = {
  name: "control plane is down",
  targets: (nodeOf) => [nodeOf("solo-c")],
  question: ([name = ""]) => ({
    kind: "scenario",
    about: "a node dies while the control plane is away",
    faults: [
      stroke("kill-service", "scheduler", { forMs: awayMs }),
      stroke("kill-service", "controller-manager", { forMs: awayMs }),
      stroke("kill-node", name, { atMs: 5_000, stays: true }),
    ],
    runMs: awayMs,
  }),
  strike: async ({ run, targets, hollow, plane }) => {
    await plane.killControllers();
    await sleep(5_000);
    await hollow.setPower(targets, "off");
    run.nodes(targets, "lost");
    await sleep(awayMs - 5_000);
    plane.startControllers();
    await run.untilRest({ atLeastMs: awayMs + unchangedMs, quietMs: 60_000, mostMs: 190_000 });
  },
};

export const upstreamFaults: readonly UpstreamFault[] = [
  nodesOff("node off", (nodeOf) => [nodeOf("solo-a")]),
  nodesOff("StatefulSet with a volume", (nodeOf) => [nodeOf("db")]),
  nodesOff("two nodes off in a full cluster", (nodeOf) => [...new Set([nodeOf("solo-a"), nodeOf("solo-c")])]),
  planeAway,
  drain,
  nodesOff("zone off", (nodeOf, zoneOf) => zoneOf(nodeOf("solo-b"))),
  rolling,
  silence,
];
