import type { Lane } from "@kintsugi/story";
import type { Shown } from "./commands.ts";
import type { RunningTimer } from "./running-timers.ts";
import { afterText, countText, lengthText, nodeText } from "./words.ts";

/** The facts from which the first look is made. */
export interface LookedAt {
  readonly nodes: readonly LookedAtNode[];
  readonly workloads: readonly LookedAtWorkload[];
  /** Running timers, the next to end first. */
  readonly runningTimers: readonly RunningTimer[];
  /** The node of a pod with a timer. */
  readonly nodeOf: (pod: RunningTimer["about"]) => string | undefined;
  /** The silence after which a node is considered NotReady. */
  readonly graceMs: number;
  /** Unscheduled pods that are not waiting for a timer. */
  readonly pendingPods: number;
  /** One of the pending pods. */
  readonly pendingPod?: Shown | undefined;
  /** The usual time from a pod's creation until it is Ready; undefined if unknown. */
  readonly startMs: number | undefined;
  /** The last recovery that has ended. */
  readonly mended: { readonly node: string; readonly tookMs: number; readonly atMs: number } | undefined;
}

export interface LookedAtNode {
  readonly name: string;
  readonly state: Lane["spans"][number]["state"];
  /** The time of the node's last report; undefined for a node that still reports. */
  readonly silentSinceMs: number | undefined;
  /** The workload's existing pods that are not terminating. */
  readonly pods: number;
}

interface LookedAtWorkload {
  readonly name: string;
  readonly ready: number;
  /** Pods that really run; undefined where only the API's view is known. */
  readonly available?: number | undefined;
  readonly wanted: number;
  readonly isShort: boolean;
}

/** The answers that the page shows first. */
export interface LookAnswers {
  readonly isWell: boolean;
  /** A sentence that states whether everything is well. */
  readonly title: string;
  readonly facts: string;
  readonly next: NextStep;
}

/** The sentence about the next step; a countdown is between its parts. */
interface NextStep {
  readonly before: string;
  /** Undefined without a running timer. */
  readonly leftMs: number | undefined;
  readonly after: string;
  /** The object whose reasons explain the step. */
  readonly why?: Shown | undefined;
}

/** Answers whether everything is well, and what happens next and when. */
export function firstLook(seen: LookedAt, nowMs: number): LookAnswers {
  const present = seen.nodes.filter(({ state }) => state !== "gone");
  const brokenNodes = present.filter(({ state, silentSinceMs }) => state !== "ready" || silentSinceMs !== undefined);
  const short = seen.workloads.filter(({ isShort }) => isShort);
  const isWell = brokenNodes.length + short.length + seen.pendingPods === 0;
  const ready = seen.workloads.reduce((sum, each) => sum + each.ready, 0);
  const wanted = seen.workloads.reduce((sum, each) => sum + Math.max(each.ready, each.wanted), 0);
  const readyNodes = present.filter(({ state }) => state === "ready").length;
  return {
    isWell,
    title: isWell ? "All is well" : troubleText(brokenNodes, short, seen.pendingPods),
    facts: `${readyNodes} of ${countText(present.length, "node")} Ready, ${ready} of ${countText(wanted, "pod")} Ready`,
    next: nextStep(seen, { brokenNodes, short, nowMs, hasWorkingNode: brokenNodes.length < present.length }),
  };
}

function troubleText(nodes: readonly LookedAtNode[], short: readonly LookedAtWorkload[], pendingPods: number): string {
  const [node, ...otherNodes] = nodes;
  const [workload, ...others] = short;
  const parts = [
    ...(node === undefined
      ? []
      : [otherNodes.length > 0 ? `${nodes.length} nodes are NotReady` : `${node.name} is ${stateOfNode(node)}`]),
    ...(workload === undefined
      ? []
      : [
          others.length > 0
            ? `${short.length} workloads lack pods`
            : `${workload.name} runs ${runningOf(workload)} of ${workload.wanted} pods`,
        ]),
  ];
  return parts.length > 0 ? parts.join(", ") : `${countText(pendingPods, "pod")} Pending`;
}

/** A pod that is Ready on a failed node does not run, although the API has not noticed that. */
function runningOf({ ready, available = ready }: LookedAtWorkload): number {
  return Math.min(ready, available);
}

function stateOfNode({ state }: LookedAtNode): string {
  return state === "ready" ? "silent" : nodeText(state);
}

interface Trouble {
  readonly brokenNodes: readonly LookedAtNode[];
  readonly short: readonly LookedAtWorkload[];
  readonly nowMs: number;
  /** A node that reports can run the replacements of evicted pods. */
  readonly hasWorkingNode: boolean;
}

function nextStep(seen: LookedAt, trouble: Trouble): NextStep {
  const { runningTimers } = seen;
  const { brokenNodes, short, nowMs } = trouble;
  const running = runningTimers.filter(({ atMs }) => atMs > nowMs);
  const toleration = running.find(({ timer }) => timer === "toleration");
  const node = toleration && brokenNodes.find(({ name }) => name === nodeOfTimer(toleration, seen));
  if (toleration !== undefined && node !== undefined) return tolerationStep(seen, { toleration, node }, trouble);
  const late = brokenNodes.find(({ state, silentSinceMs }) => state === "ready" && silentSinceMs !== undefined);
  if (late !== undefined) return graceStep(late, seen.graceMs, nowMs);
  const [next] = short.length > 0 ? running.filter(({ timer }) => timer !== "termination grace period") : running;
  if (next !== undefined) return timerStep(next, nowMs);
  if (seen.pendingPods > 0)
    return {
      ...sentence(`No node can take ${countText(seen.pendingPods, "Pending pod")} now.`),
      why: seen.pendingPod,
    };
  if (short.length > 0) return sentence(successorsText(short, seen.startMs));
  return sentence(quietText(seen, trouble));
}

/** A step without a timer. */
function sentence(before: string): NextStep {
  return { before, leftMs: undefined, after: "" };
}

function nodeOfTimer({ about }: RunningTimer, { nodeOf }: LookedAt): string | undefined {
  return about.kind === "Node" ? about.name : nodeOf(about);
}

/** The node is late, and the API does not report that yet. */
function graceStep({ name, silentSinceMs = 0, pods }: LookedAtNode, graceMs: number, nowMs: number): NextStep {
  return {
    before: `${silenceText(name, silentSinceMs, nowMs)} In`,
    leftMs: Math.max(0, silentSinceMs + graceMs - nowMs),
    after: `it counts as NotReady${pods === 0 ? "." : `, and the toleration of its ${countText(pods, "pod")} begins.`}`,
  };
}

function tolerationStep(
  seen: LookedAt,
  { toleration, node }: { toleration: RunningTimer; node: LookedAtNode },
  { short, nowMs, hasWorkingNode }: Trouble,
): NextStep {
  const timed = seen.runningTimers.filter(
    (runningTimer) =>
      runningTimer.timer === "toleration" &&
      runningTimer.about.kind === "Pod" &&
      nodeOfTimer(runningTimer, seen) === node.name,
  ).length;
  const pods = timed > 0 ? timed : node.pods;
  const own = pods === 1 ? "its pod is evicted" : `its ${pods} pods are evicted`;
  return {
    before: `${silenceText(node.name, node.silentSinceMs, nowMs)} In`,
    leftMs: toleration.atMs - nowMs,
    after: `${own}; ${hasWorkingNode ? wholeText(short, seen.startMs) : "no node can run replacements."}`,
  };
}

function silenceText(name: string, sinceMs: number | undefined, nowMs: number): string {
  return sinceMs === undefined ? `${name} is NotReady.` : `${name} has been silent for ${lengthText(nowMs - sinceMs)}.`;
}

/** The page announces only times that it has observed, which are the times of earlier starts. */
function wholeText(short: readonly LookedAtWorkload[], startMs: number | undefined): string {
  const within = startMs === undefined ? "" : ` within about ${roundedText(startMs)}`;
  const [only] = short;
  if (short.length !== 1 || only === undefined) return `their replacements then run on other nodes${within}.`;
  return `${only.name} then runs ${only.wanted} of ${only.wanted}${within}.`;
}

/** An estimate has no fraction of a second. */
function roundedText(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s` : lengthText(ms);
}

function successorsText(short: readonly LookedAtWorkload[], startMs: number | undefined): string {
  const missing = short.reduce((sum, { wanted, ready }) => sum + wanted - ready, 0);
  if (missing <= 0) return unnoticedText(short);
  const within = startMs === undefined ? "" : `, as a rule within ${roundedText(startMs)}`;
  return `${countText(missing, "pod")} of ${namesText(short)} ${missing === 1 ? "starts" : "start"}${within}.`;
}

/** Nothing happens until the API counts the pods as lost. */
function unnoticedText(short: readonly LookedAtWorkload[]): string {
  const lost = short.reduce((sum, each) => sum + each.wanted - runningOf(each), 0);
  const verb = lost === 1 ? "does" : "do";
  return `${countText(lost, "pod")} of ${namesText(short)} ${verb} not run, and the API still counts ${lost === 1 ? "it" : "them"} as Ready.`;
}

/** Number of workloads that a sentence names. */
const namedMax = 3;

function namesText(workloads: readonly LookedAtWorkload[]): string {
  const names = workloads.map(({ name }) => name);
  if (names.length > namedMax) return `${names.slice(0, namedMax).join(", ")} and ${names.length - namedMax} more`;
  return [names.slice(0, -1).join(", "), ...names.slice(-1)].filter((each) => each !== "").join(" and ");
}

function timerStep({ about, timer, because, next, atMs }: RunningTimer, nowMs: number): NextStep {
  const sentence = because.trim().replace(/[.:]$/, "");
  return {
    before: `${about.kind} ${about.name}: ${sentence}. In`,
    leftMs: atMs - nowMs,
    after: next === "" ? `its ${timer} ends.` : `its ${timer} ends. ${next}`,
  };
}

function quietText({ mended, nodes }: LookedAt, { brokenNodes, nowMs }: Trouble): string {
  const [dead] = brokenNodes;
  if (dead !== undefined && dead.pods === 0)
    return `${silenceText(dead.name, dead.silentSinceMs, nowMs)} Its pods run on other nodes, and no timer waits for it.`;
  if (mended !== undefined)
    return `No timer runs. The last fault was repaired ${lengthText(nowMs - mended.atMs)} ago: ${mended.node} lost its pods, and their replacements were Ready ${afterText(mended.tookMs)}.`;
  return nodes.length === 0 ? "No node has joined yet." : "No timer is running, and nothing is awaited.";
}
