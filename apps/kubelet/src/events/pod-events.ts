import { containerFieldPath, type BoundPod } from "../pods/bound-pod.ts";

/** Where the kubelet's events go; `EventRecorder` of @kintsugi/client stands behind it. */
export interface EventSink {
  record(event: { object: EventTarget; type: "Normal" | "Warning"; reason: string; message: string }): void;
}

export interface EventTarget {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  resourceVersion?: string;
  /** `spec.containers{name}`. */
  fieldPath?: string;
}

/** Events about pods and their containers. */
export class PodEvents {
  readonly #sink: EventSink;

  constructor(sink: EventSink) {
    this.#sink = sink;
  }

  // oxlint-disable-next-line max-params -- pod, reason and message are what an event is; the container narrows it
  normal(pod: BoundPod, reason: string, message: string, containerName?: string): void {
    this.#sink.record({ object: target(pod, containerName), type: "Normal", reason, message });
  }

  // oxlint-disable-next-line max-params -- as above
  warning(pod: BoundPod, reason: string, message: string, containerName?: string): void {
    this.#sink.record({ object: target(pod, containerName), type: "Warning", reason, message });
  }
}

function target(pod: BoundPod, containerName: string | undefined): EventTarget {
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
