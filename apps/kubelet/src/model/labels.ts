import { fnv1a32, oncePer, podRestartAnnotation } from "@kintsugi/api";

/**
 * The kubelet writes these labels on every sandbox and container, so that it can resume after a
 * restart. The names are upstream's.
 */
export const labelNames = {
  podName: "io.kubernetes.pod.name",
  podNamespace: "io.kubernetes.pod.namespace",
  podUid: "io.kubernetes.pod.uid",
  containerName: "io.kubernetes.container.name",
} as const;

export const annotationNames = {
  hash: "io.kubernetes.container.hash",
  restartCount: "io.kubernetes.container.restartCount",
  terminationMessagePath: "io.kubernetes.container.terminationMessagePath",
  terminationMessagePolicy: "io.kubernetes.container.terminationMessagePolicy",
  /**
   * Kintsugi's own: the milliseconds that this container has to stay down after it exits, so that
   * back-off survives a restart of the kubelet.
   */
  restartBackoffMs: "kintsugi.dev/restart-backoff-ms",
  /**
   * Kintsugi's own: the number of consecutive restarts, including this instance's, before a failure
   * can be declared.
   */
  restartsInARow: "kintsugi.dev/restarts-in-a-row",
  /**
   * Kintsugi's own: the container has run for long since the pod was last restarted, so earlier
   * restarts of the pod have helped it.
   */
  recovered: "kintsugi.dev/recovered",
  /**
   * Kintsugi's own, on a sandbox: "1/3", the restarts of the whole pod before it because containers
   * failed: consecutive, and in total.
   */
  podRestarts: "kintsugi.dev/pod-restarts",
  /**
   * Kintsugi's own: the generation of the pod's containers in this sandbox to which a container
   * belongs; RestartAllContainers begins another.
   */
  generation: "kintsugi.dev/generation",
  /**
   * Kintsugi's own: the requests and limits of cpu and memory with which the container was created.
   */
  resources: "kintsugi.dev/resources",
  /** Kintsugi's own: the ids of the images that the container mounts, separated by commas. */
  imageVolumes: "kintsugi.dev/image-volumes",
  /**
   * Kintsugi's own, on the pod and therefore on its sandbox: a changed value requests a restart of
   * the whole pod.
   */
  restartedAt: podRestartAnnotation,
  /** Kintsugi's own: the path of the termination message file on the node. */
  terminationMessageFile: "kintsugi.dev/termination-message-file",
} as const;

/** "containerd://abc" in the API, "abc" in the runtime. */
export const runtimeName = "containerd";

export function containerIdText(id: string): string {
  return `${runtimeName}://${id}`;
}

/** The reverse of `containerIdText`. */
export function runtimeIdOf(text: string): string {
  return text.slice(`${runtimeName}://`.length);
}

/** Upstream's name of a pod's log directory: `<namespace>_<name>_<uid>`. */
export function podLogDirectoryName(pod: { namespace: string; name: string; uid: string }): string {
  return `${pod.namespace}_${pod.name}_${pod.uid}`;
}

/**
 * The uid at the end of a log directory's name. Neither namespaces nor names contain an underscore.
 */
export function uidOfLogDirectory(directoryName: string): string | undefined {
  const parts = directoryName.split("_");
  return parts.length === 3 ? parts[2] : undefined;
}

interface Hashed {
  name: string;
  image?: string | undefined;
}

/**
 * FNV-1a of the fields whose change makes a running container outdated; upstream hashes the same
 * two fields. A container of a spec never changes, because another spec has other containers.
 */
export const containerHash: (container: Hashed) => string = oncePer(hashOf);

function hashOf(container: Hashed): string {
  const hashed = JSON.stringify({ name: container.name, image: container.image ?? "" });
  return fnv1a32(Buffer.from(hashed)).toString(16);
}
