import {
  findUntoleratedTaint,
  type HostPort,
  hostPortsConflict,
  type Node,
  nodeIsWanted,
  podHostPorts,
  osLabel,
} from "@kintsugi/api";
import type { PodEvents } from "../../model/pod-events.ts";
import type { EndVerdict } from "../../model/verdicts.ts";
import { type BoundPod, isTerminalPhase } from "../../model/bound-pod.ts";
import type { ObservedPod } from "../../model/observed-pod.ts";
import type { ResizeRefusal } from "./pod-resizes.ts";
import { forbiddenSysctl } from "./sysctls.ts";
import { type MissingResource, missingResource } from "./node-resources.ts";

export interface AdmissionDeps {
  events: PodEvents;
  ownNode: OwnNode;
  pressure: Pressure;
}

/** The Node of this machine, which reports itself. */
export interface OwnNode {
  /** The Node as it was last read; undefined before the first read. */
  readonly node: Node | undefined;
  /** Reads the Node from the API. */
  read(signal: AbortSignal): Promise<Node>;
}

/** The pressure on the node's resources. */
interface Pressure {
  /** Returns the reason why the node does not admit the pod. */
  refuse(pod: BoundPod): Rejection | undefined;
}

export interface Rejection {
  reason: string;
  message: string;
}

/**
 * Decides once, when it first sees a pod, whether this node can run it (lifecycle/predicate.go). A
 * pod that already has containers was admitted before a restart of the kubelet, and remains
 * admitted.
 */
export class Admission {
  readonly #deps: AdmissionDeps;
  readonly #admitted = new Map<string, BoundPod>();

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  /** Resolves with the reason why the pod is rejected. */
  async judge(pod: BoundPod, observed: ObservedPod, signal: AbortSignal): Promise<EndVerdict | undefined> {
    const { uid } = pod.metadata;
    if (this.#admitted.has(uid)) {
      this.#admitted.set(uid, pod);
      return undefined;
    }
    if (isTerminalPhase(pod.status?.phase)) return undefined;
    const wasRunning = observed.sandboxes.length > 0 || observed.containers.length > 0;
    const rejection = wasRunning ? undefined : await this.#judgeNew(pod, signal);
    if (!rejection) {
      this.#admitted.set(uid, pod);
      return undefined;
    }
    this.#deps.events.warning(pod, rejection.reason, rejection.message);
    return { reason: rejection.reason, message: `Pod was rejected: ${rejection.message}`, isRejection: true };
  }

  /**
   * Returns the reason why the node cannot currently grant an admitted pod its desired resources
   * (allocation_manager.go canResizePod).
   */
  refuseResize(pod: BoundPod): ResizeRefusal | undefined {
    const { node } = this.#deps.ownNode;
    if (!node) return undefined;
    const alone = missingResource(pod, [], node);
    if (alone) {
      const { resource, requested, capacity } = alone;
      const message = `Node didn't have enough capacity: ${resource}, requested: ${requested}, capacity: ${capacity}`;
      return { reason: "Infeasible", message };
    }
    const others = [...this.#admitted.values()].filter(({ metadata }) => metadata.uid !== pod.metadata.uid);
    const missing = missingResource(pod, others, node);
    return missing && { reason: "Deferred", message: describeMissing(missing) };
  }

  /** Frees the requested resources of a pod that has ended. */
  release(uid: string): void {
    this.#admitted.delete(uid);
  }

  async #judgeNew(pod: BoundPod, signal: AbortSignal): Promise<Rejection | undefined> {
    const refused = this.#deps.pressure.refuse(pod) ?? refuseOtherSystem(pod);
    if (refused) return refused;
    if (!this.#rejection(pod, this.#deps.ownNode.node)) return undefined;
    // A rejected pod remains rejected, and the Node in memory may be older than the Node by which
    // the pod was bound.
    return this.#rejection(pod, await this.#deps.ownNode.read(signal));
  }

  #rejection(pod: BoundPod, node: Node | undefined): Rejection | undefined {
    if (!node) return undefined;
    const others = [...this.#admitted.values()];
    const missing = missingResource(pod, others, node);
    if (missing) {
      return { reason: `OutOf${missing.resource}`, message: describeMissing(missing) };
    }
    const sysctl = forbiddenSysctl(pod);
    if (sysctl !== undefined) return { reason: "SysctlForbidden", message: sysctl };
    const isStrict = pod.spec.securityContext?.supplementalGroupsPolicy === "Strict";
    if (isStrict && node.status?.features?.supplementalGroupsPolicy !== true) {
      const message = "SupplementalGroupsPolicy=Strict is not supported in this node";
      return { reason: "SupplementalGroupsPolicyNotSupported", message };
    }
    if (podHostPorts(pod).some((port) => others.some((other) => takes(other, port)))) {
      const message = "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports";
      return { reason: "NodePorts", message };
    }
    const { name = "", labels = {} } = node.metadata;
    if (!nodeIsWanted(pod, { name, labels })) {
      const message = "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector";
      return { reason: "NodeAffinity", message };
    }
    const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
    if (findUntoleratedTaint(taints, pod.spec.tolerations ?? [])) {
      const message = "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate";
      return { reason: "TaintToleration", message };
    }
    return undefined;
  }
}

/** This kubelet runs on Linux only, as its Node reports. */
const operatingSystem = "linux";

/**
 * A pod of another system would run with more rights than its namespace allows, because admission
 * does not require Linux-only settings of such a pod.
 */
function refuseOtherSystem({ metadata, spec }: BoundPod): Rejection | undefined {
  if ((metadata.labels?.[osLabel] ?? operatingSystem) !== operatingSystem) {
    const message = "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label";
    return { reason: "PodOSSelectorNodeLabelDoesNotMatch", message };
  }
  if (spec.os === undefined || spec.os.name === operatingSystem) return undefined;
  return { reason: "PodOSNotSupported", message: "Failed to admit pod as the OS field doesn't match node OS" };
}

function takes(pod: BoundPod, port: HostPort): boolean {
  return podHostPorts(pod).some((taken) => hostPortsConflict(taken, port));
}

function describeMissing({ resource, requested, used, capacity }: MissingResource): string {
  return `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;
}
