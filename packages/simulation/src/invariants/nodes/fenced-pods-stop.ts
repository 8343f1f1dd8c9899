import { type Pod, podFenceAnnotation, type Taint, tolerationSeconds, pods } from "@kintsugi/api";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { containerName } from "../observed/known-containers.ts";

const unreachable: Taint = { key: "node.kubernetes.io/unreachable", effect: "NoExecute" };

interface FencedPod {
  readonly node: string;
  /** The silence of the node after which a replacement of the pod may run. */
  readonly replacedAfterMs: number;
}

/**
 * A pod that requested to be stopped on a node that is cut off no longer runs when its replacement
 * may run. This requires that its kubelet has run since before the silence, with a correct clock
 * and a runtime that responds.
 */
export function fencedPodsStop({ clock, clocks, known, timers, working }: InvariantContext): Invariant {
  /** Pods that requested the fence, by UID, including those that are no longer in the API. */
  const fenced = new Map<string, FencedPod>();

  return {
    name: "fenced-pods-stop",
    never:
      "a container of a pod with fence-on-partition that still runs when its node has been silent for the grace period and the pod's toleration",
    observes: [
      onKind(pods, ({ type, object }) => {
        const { uid = "" } = object.metadata;
        const node = object.spec?.nodeName ?? "";
        if (type === "delete" && known.containers.running(uid).length === 0) fenced.delete(uid);
        else if (asksForFence(object) && node !== "")
          fenced.set(uid, { node, replacedAfterMs: replacedAfterMs(object) });
      }),
    ],
    tick(check) {
      for (const [uid, { node, replacedAfterMs: limitMs }] of fenced) {
        const silentMs = clock.monotonicMs() - (known.renewedMs.get(node) ?? Infinity);
        if (silentMs <= limitMs || silentMs >= working.workingForMs(node) || silentMs >= clocks.steadyForMs(node))
          continue;
        const [running] = known.containers.running(uid);
        check(running && `${containerName(running)} runs on ${node}, which has been silent for ${silentMs} ms`);
      }
    },
  };

  function replacedAfterMs({ spec }: Pod): number {
    return timers.nodeMonitorGracePeriodMs + tolerationSeconds([unreachable], spec?.tolerations) * 1000;
  }
}

export function asksForFence({ metadata }: Pod): boolean {
  return metadata.annotations?.[podFenceAnnotation] === "true";
}
