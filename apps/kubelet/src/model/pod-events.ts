import type { EventRecorder } from "@kintsugi/client";
import type { ObjectReference } from "@kintsugi/api";
import { containerFieldPath, type BoundPod } from "./bound-pod.ts";

/** The receiver of events. */
export type EventSink = Pick<EventRecorder, "record">;

/** Events about pods and their containers. */
export class PodEvents {
  readonly #sink: EventSink;

  constructor(sink: EventSink) {
    this.#sink = sink;
  }

  normal(pod: BoundPod, reason: string, message: string, containerName?: string): void {
    this.#sink.record(target(pod, containerName), { type: "Normal", reason, message });
  }

  warning(pod: BoundPod, reason: string, message: string, containerName?: string): void {
    this.#sink.record(target(pod, containerName), { type: "Warning", reason, message });
  }
}

/** Upstream's node events have the name as uid, by which `kubectl describe node` finds them. */
export function nodeReference(name: string): ObjectReference {
  return { apiVersion: "v1", kind: "Node", name, uid: name };
}

function target(pod: BoundPod, containerName: string | undefined): ObjectReference {
  const { namespace, name, uid, resourceVersion } = pod.metadata;
  return {
    apiVersion: "v1",
    kind: "Pod",
    namespace,
    name,
    uid,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(containerName === undefined ? {} : { fieldPath: containerFieldPath(pod, containerName) }),
  };
}
