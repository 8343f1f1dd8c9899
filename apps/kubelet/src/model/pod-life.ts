import { actionAfter } from "./should-restart.ts";
import { annotationNames } from "./labels.ts";
import { findContainer, nameOf, type ObservedContainer, type ObservedPod } from "./observed-pod.ts";
import { type BoundPod, containersOf, isDeleting } from "./bound-pod.ts";
import { noPodRestarts, type PodRestarts, podRestartsOf } from "./escalation.ts";

// A pod can restart as a whole, as the same object on the same node:
//
//   requested    metadata.annotations["kintsugi.dev/restartedAt"] changes; all is new: sandbox,
//                addresses, IPC, emptyDir, back-off
//   escalated    a container repeatedly fails (./escalation.ts); the same parts are new
//   by a rule    a container exits under RestartAllContainers (KEP-5532): all containers are new;
//                sandbox, volumes and back-off remain
//
// The kubelet has no state for it. A sandbox stores the request and the escalation for which it was
// made, and a container stores the number of its generation:
//
//   generation 0   init#0 web#0 log#0   web exits with 42, and its rule is RestartAllContainers
//   generation 1   init#1 web#1 log#1   the rest of generation 0 is killed, and counts only for
//                                       restart counts and back-off

export interface PodLife {
  /** The request for a restart, as the annotation has it: usually a time, but any change counts. */
  readonly request: string | undefined;
  /** The number of restarts of the pod because its containers failed. */
  readonly podRestarts: PodRestarts;
  /**
   * True where the newest sandbox was made for an older request, or without a request, so that the
   * pod has to restart.
   */
  readonly restartRequested: boolean;
  /** The container whose exit restarts all containers, until the first of them has restarted. */
  readonly restartedBy: ObservedContainer | undefined;
  /** The generation of containers that start now. */
  readonly generation: number;
  /**
   * Reports whether a container belongs to the pod's current life, or to the life that is about to
   * start.
   */
  isCurrent(container: ObservedContainer): boolean;
  /**
   * Reports whether the container's back-off still applies. It does not apply after a restart of
   * the whole pod.
   */
  keepsBackoff(container: ObservedContainer): boolean;
}

/**
 * @param escalated the restart of the pod that is about to be made, because its containers failed.
 */
export function podLife(pod: BoundPod, observed: ObservedPod, escalated?: PodRestarts): PodLife {
  const request = restartRequestOf(pod);
  const restartRequested = isRestartRequested(pod, observed);
  const reachedRestarts = restartRequested ? noPodRestarts : podRestartsOf(observed.sandboxes[0]?.annotations);
  const podRestarts = escalated ?? reachedRestarts;
  const sandboxes = new Map(observed.sandboxes.map((sandbox) => [sandbox.id, sandbox]));
  const isOfRequest = ({ sandboxId }: ObservedContainer) => {
    const sandbox = sandboxes.get(sandboxId);
    if (podRestartsOf(sandbox?.annotations).ever !== podRestarts.ever) return false;
    return request === undefined || (sandbox !== undefined && requestOf(sandbox) === request);
  };
  const ephemeral = new Set((pod.spec.ephemeralContainers ?? []).map(({ name }) => name));
  const ofRequest = observed.containers.filter((each) => isOfRequest(each) && !ephemeral.has(nameOf(each)));
  const reached = Math.max(0, ...ofRequest.map(generationOf));
  const restartedBy = isDeleting(pod) ? undefined : whoRestartsAll(pod, observed, reached);
  const generation = restartedBy && isOfRequest(restartedBy) ? reached + 1 : reached;
  return {
    request,
    podRestarts,
    restartRequested,
    restartedBy: generation > reached ? restartedBy : undefined,
    generation,
    isCurrent: (container) =>
      ephemeral.has(nameOf(container)) || (isOfRequest(container) && generationOf(container) === generation),
    keepsBackoff: isOfRequest,
  };
}

/** The observed pod without the containers of a life that has ended. */
export function currentLifeOf(observed: ObservedPod, life: PodLife): ObservedPod {
  return { ...observed, containers: observed.containers.filter((container) => life.isCurrent(container)) };
}

/** Reports whether the pod's newest sandbox was made for an older request, or without a request. */
export function isRestartRequested(pod: BoundPod, { sandboxes: [newest] }: ObservedPod): boolean {
  const request = restartRequestOf(pod);
  return request !== undefined && newest !== undefined && requestOf(newest) !== request;
}

function restartRequestOf({ metadata }: BoundPod): string | undefined {
  const request = metadata.annotations?.[annotationNames.restartedAt];
  return request === "" ? undefined : request;
}

/** Returns the request for which a sandbox was made. */
function requestOf({ annotations }: ObservedPod["sandboxes"][number]): string | undefined {
  return annotations[annotationNames.restartedAt];
}

function whoRestartsAll(pod: BoundPod, observed: ObservedPod, generation: number): ObservedContainer | undefined {
  return containersOf(pod)
    .map((container) => ({ container, newest: findContainer(observed, container.name) }))
    .find(
      ({ container, newest }) =>
        newest?.state === "exited" &&
        generationOf(newest) === generation &&
        actionAfter(container, newest.exitCode) === "RestartAllContainers",
    )?.newest;
}

function generationOf({ annotations }: ObservedContainer): number {
  return Number(annotations[annotationNames.generation] ?? 0);
}
