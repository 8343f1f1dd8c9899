import { type Container, type ContainerStatus, isPodBound, parseTimestamp, type Pod } from "@kintsugi/api";
import { type AdoptedContainer, type AdoptedPod, aContainerConfig, aSandboxConfig } from "@kintsugi/cri/simulated";
import { annotationNames, containerHash, labelNames } from "@kintsugi/kubelet/factory";

/**
 * The pods of a node in the form of its runtime, from their status in the API: a kubelet that
 * starts with these pods finds its earlier state, and does not change the pods.
 */
export function adoptedPods(pods: readonly Pod[], nowMs: number): AdoptedPod[] {
  return pods.filter((pod) => isPodBound(pod) && hasContainers(pod)).map((pod) => adoptedPod(pod, nowMs));
}

function hasContainers({ status }: Pod): boolean {
  return [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].some(
    ({ containerID }) => containerID !== undefined && containerID !== "",
  );
}

function adoptedPod(pod: Pod, nowMs: number): AdoptedPod {
  const { name = "", namespace = "", uid = "", labels, annotations } = pod.metadata;
  const hostNetwork = pod.spec?.hostNetwork === true;
  const podLabels = { [labelNames.podName]: name, [labelNames.podNamespace]: namespace, [labelNames.podUid]: uid };
  const config = aSandboxConfig(name, {
    metadata: { name, namespace, uid, attempt: 0 },
    hostname: hostNetwork ? "" : name,
    logDirectory: `/logs/${namespace}_${name}_${uid}`,
    labels: { ...labels, ...podLabels },
    annotations: { ...annotations },
  });
  if (hostNetwork) config.linux.namespaces = { network: "node", pid: "container", ipc: "node" };
  const specs = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  return {
    sandbox: { id: `sandbox-${uid}`, config, ip: hostNetwork ? "" : (pod.status?.podIP ?? "10.0.0.1") },
    createdAtMs: Math.min(nowMs, timeOf(pod.status?.startTime ?? pod.metadata.creationTimestamp, nowMs)),
    containers: specs.flatMap((spec) => {
      const status = statuses.find((each) => each.name === spec.name);
      const adopted = status && adoptedContainer(spec, status, { podLabels, nowMs });
      return adopted === undefined ? [] : [adopted];
    }),
  };
}

function adoptedContainer(
  spec: Container,
  status: ContainerStatus,
  { podLabels, nowMs }: { podLabels: Record<string, string>; nowMs: number },
): AdoptedContainer | undefined {
  const { containerID = "", restartCount, state, lastState } = status;
  const ended = state?.terminated ?? (state?.waiting === undefined ? undefined : lastState?.terminated);
  const running = state?.running;
  if (containerID === "" || (running === undefined && ended === undefined)) return undefined;
  const startedAtMs = Math.min(nowMs, timeOf(running?.startedAt ?? ended?.startedAt, nowMs));
  return {
    id: containerID.slice(containerID.indexOf("://") + "://".length),
    config: aContainerConfig(spec.name, "", {
      metadata: { name: spec.name, attempt: restartCount },
      image: spec.image ?? "",
      command: [],
      labels: { ...podLabels, [labelNames.containerName]: spec.name },
      annotations: {
        [annotationNames.hash]: containerHash(spec),
        [annotationNames.restartCount]: String(restartCount),
        [annotationNames.restartBackoffMs]: ended === undefined ? "0" : String(heldMs(restartCount)),
      },
      logPath: `${spec.name}/${restartCount}.log`,
    }),
    startedAtMs,
    ...(ended === undefined
      ? {}
      : {
          ended: {
            exitCode: ended.exitCode,
            ...(ended.reason === undefined ? {} : { reason: ended.reason }),
            atMs: Math.max(startedAtMs, Math.min(nowMs, timeOf(ended.finishedAt, nowMs))),
          },
        }),
  };
}

/** The back-off after a number of restarts: 10 s, doubled up to 5 min. */
function heldMs(restarts: number): number {
  return Math.min(300_000, 10_000 * 2 ** Math.min(10, Math.max(0, restarts - 1)));
}

function timeOf(text: string | null | undefined, otherwiseMs: number): number {
  return text === undefined || text === null ? otherwiseMs : parseTimestamp(text);
}
