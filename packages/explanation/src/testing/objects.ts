import {
  formatTimestamp,
  type Event,
  type Node,
  type NodeCondition,
  type Pod,
  type PodSpec,
  type PodStatus,
  profiles,
} from "@kintsugi/api";
import type { Explanation, ExplainedReason } from "../explanation.ts";
import type { Objects, World } from "../world.ts";

/** 2026-01-01T00:00:00Z: the current time of every test. */
export const nowMs = 1_767_225_600_000;

/** Returns the time `seconds` after `nowMs`, as the API writes times. */
export const at = (seconds: number): string => formatTimestamp(nowMs + seconds * 1000);

export function aWorld(objects: Objects = {}): World {
  return { objects, timers: profiles.kubernetes, nowMs };
}

interface PodTraits {
  metadata?: Partial<Pod["metadata"]>;
  spec?: Partial<PodSpec>;
  status?: PodStatus;
  /** The kind, the name and the UID of its controller. */
  owner?: readonly [string, string];
}

/** A pod that runs on node n1 and is ready, unless the traits differ. */
export function aPod(name: string, { metadata, spec, status, owner }: PodTraits = {}): Pod {
  const [kind = "", ownerName = ""] = owner ?? [];
  const reference = { kind, name: ownerName, uid: `uid-of-${ownerName}`, apiVersion: "apps/v1", controller: true };
  return {
    metadata: {
      name,
      namespace: "default",
      uid: `uid-of-${name}`,
      creationTimestamp: at(-60),
      labels: { app: "web" },
      ...(owner === undefined ? {} : { ownerReferences: [reference] }),
      ...metadata,
    },
    spec: { nodeName: "n1", containers: [{ name: "c", image: "busybox:1" }], ...spec },
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: at(-50) }],
      ...status,
    },
  };
}

/** Conditions of a pod that has no node. */
export function unscheduled(message: string): PodStatus {
  const condition = { type: "PodScheduled", status: "False" as const, reason: "Unschedulable", message };
  return { phase: "Pending", conditions: [{ ...condition, lastTransitionTime: at(-30) }] };
}

type ContainerState = NonNullable<PodStatus["containerStatuses"]>[number]["state"];

/** The status of a pod whose only container is in this state. */
export function inState(state: ContainerState, more: object = {}): PodStatus {
  const container = { name: "c", ready: false, restartCount: 0, image: "busybox:1", imageID: "", state, ...more };
  return {
    phase: "Running",
    conditions: [{ type: "Ready", status: "False", lastTransitionTime: at(-20) }],
    containerStatuses: [container],
  };
}

interface NodeTraits {
  ready?: "True" | "False" | "Unknown";
  taints?: NonNullable<Node["spec"]>["taints"];
  conditions?: NodeCondition[];
  unschedulable?: boolean;
  labels?: Record<string, string>;
}

export function aNode(name: string, traits: NodeTraits = {}): Node {
  const { ready = "True", taints, conditions = [], unschedulable, labels = {} } = traits;
  const condition = { type: "Ready", status: ready, lastTransitionTime: at(-40), lastHeartbeatTime: at(-80) };
  return {
    metadata: { name, uid: `uid-of-${name}`, labels },
    spec: { ...(taints === undefined ? {} : { taints }), ...(unschedulable === undefined ? {} : { unschedulable }) },
    status: { conditions: [condition, ...conditions] },
  };
}

/** A node that does not answer, with the taints that the controller gives it. */
export function aSilentNode(name: string, traits: NodeTraits = {}): Node {
  const taint = { key: "node.kubernetes.io/unreachable", effect: "NoExecute" as const, timeAdded: at(-40) };
  return aNode(name, { ready: "Unknown", taints: [taint], ...traits });
}

/** The toleration of 300 seconds that admission adds to each pod. */
export const tolerated = {
  key: "node.kubernetes.io/unreachable",
  operator: "Exists" as const,
  effect: "NoExecute" as const,
  tolerationSeconds: 300,
};

export function anEvent(about: readonly [string, string], reason: string, message: string, seconds = -5): Event {
  const [kind, name] = about;
  return {
    metadata: { name: `${name}.${reason}`, namespace: "default" },
    involvedObject: { kind, name, namespace: "default" },
    reason,
    message,
    lastTimestamp: at(seconds),
  };
}

export const codesOf = ({ reasons }: Pick<Explanation, "reasons">): string[] => reasons.map(({ code }) => code);

/** The only reason. @throws unless there is exactly one reason. */
export function only(reasons: readonly ExplainedReason[]): ExplainedReason {
  const [first] = reasons;
  if (first === undefined || reasons.length > 1) throw new Error(`reasons: ${JSON.stringify(reasons, null, 1)}`);
  return first;
}
