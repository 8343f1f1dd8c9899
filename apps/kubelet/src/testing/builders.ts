import type { Container, Pod, PodSpec, PodStatus } from "@kintsugi/api";
import { type BoundPod, boundPod } from "../model/bound-pod.ts";
import type { ProbeVerdicts } from "../pods/plan/steps.ts";
import { annotationNames, containerHash, labelNames } from "../model/labels.ts";
import type { ObservedContainer, ObservedPod } from "../model/observed-pod.ts";

const podUid = "11111111-2222-4333-8444-555555555555";

/** Makes a bound pod with one container "c", unless the spec differs. */
export function aPod(
  spec: Partial<PodSpec> = {},
  rest: { metadata?: Partial<Pod["metadata"]>; status?: PodStatus } = {},
): BoundPod {
  return boundPod({
    metadata: { name: "p", namespace: "default", uid: podUid, ...rest.metadata },
    spec: { containers: [{ name: "c", image: "busybox" }], restartPolicy: "Always", nodeName: "node-1", ...spec },
    ...(rest.status ? { status: rest.status } : {}),
  });
}

/** Makes the runtime's state of the pod: a ready sandbox, and these containers, newest first. */
export function observed(
  containers: readonly ObservedContainer[] = [],
  sandbox: Partial<ObservedPod["sandboxes"][number]> = {},
): ObservedPod {
  return {
    uid: podUid,
    name: "p",
    namespace: "default",
    sandboxes: [
      {
        id: "sandbox-0",
        metadata: { name: "p", uid: podUid, namespace: "default", attempt: 0 },
        ready: true,
        createdAtMs: 0,
        labels: {},
        annotations: {},
        ip: "10.244.0.7",
        additionalIps: [],
        namespaces: { network: "pod", pid: "container", ipc: "pod" },
        ...sandbox,
      },
    ],
    containers,
  };
}

export interface InstanceFields extends Partial<Omit<ObservedContainer, "metadata">> {
  attempt?: number;
  /** The back-off that the instance stores, in milliseconds. */
  carryMs?: number;
}

/** Makes one instance of a container, running unless the fields differ. */
export function instance(name: string, fields: InstanceFields = {}): ObservedContainer {
  const { attempt = 0, carryMs, ...rest } = fields;
  const hash = containerHash({ name, image: "busybox" });
  return {
    id: `${name}-${attempt}`,
    sandboxId: "sandbox-0",
    metadata: { name, attempt },
    image: "busybox",
    imageRef: "sha256:abc",
    state: "running",
    createdAtMs: 1000 + attempt,
    startedAtMs: 1000,
    finishedAtMs: 0,
    exitCode: 0,
    reason: "",
    message: "",
    logPath: "",
    mounts: [],
    labels: { [labelNames.podUid]: podUid, [labelNames.containerName]: name },
    annotations: {
      [annotationNames.hash]: hash,
      ...(carryMs === undefined ? {} : { [annotationNames.restartBackoffMs]: String(carryMs) }),
    },
    ...rest,
  };
}

export function exited(name: string, fields: InstanceFields = {}): ObservedContainer {
  return instance(name, { state: "exited", exitCode: 1, finishedAtMs: 2000, ...fields });
}

export function aContainer(name: string, fields: Partial<Container> = {}): Container {
  return { name, image: "busybox", ...fields };
}

/** No probe has a result. */
export const noVerdicts: ProbeVerdicts = {
  liveness: () => undefined,
  startup: () => undefined,
  readiness: () => undefined,
};

/** Makes a container whose image names its behavior, such as "exit:1-after-2s". */
export function scripted(name: string, what: string, more: Partial<Container> = {}): Container {
  return { name, image: `script.kintsugi.dev/${what}`, ...more };
}

/** Makes a spec with one such container "c". */
export function doing(
  what: string,
  spec: Partial<PodSpec> = {},
  container: Partial<PodSpec["containers"][number]> = {},
): Partial<PodSpec> {
  return { ...spec, containers: [scripted("c", what, container)] };
}
