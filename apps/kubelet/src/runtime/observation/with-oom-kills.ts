import type { ObservedPod } from "../../model/observed-pod.ts";

/** 128 and SIGKILL. */
const killedStatus = 137;

/**
 * Returns the pod with the reason OOMKilled for each killed container that has an OOM kill.
 * containerd itself reports this, except for some containers that are killed in their first
 * milliseconds, because its shim listens only after the OCI runtime has started them.
 */
export function withOomKills(read: ObservedPod, kernelKilledIn: (containerId: string) => boolean): ObservedPod {
  const containers = read.containers.map((container) => {
    const { id, state, exitCode, reason } = container;
    const isUnexplained = state === "exited" && exitCode === killedStatus && (reason === "Error" || reason === "");
    return isUnexplained && kernelKilledIn(id) ? { ...container, reason: "OOMKilled" } : container;
  });
  return { ...read, containers };
}
