import type { ObservedPod } from "../../model/observed-pod.ts";

/** 128 and SIGKILL. */
const killedStatus = 137;

/**
 * Returns the same pod; a container that was killed, and in which the kernel has killed for want of
 * memory, ended for that reason. containerd reports that itself, except for some that are killed in
 * their first milliseconds: its shim listens only once the OCI runtime has started them.
 */
export function withOomKills(read: ObservedPod, kernelKilledIn: (containerId: string) => boolean): ObservedPod {
  const containers = read.containers.map((container) => {
    const { id, state, exitCode, reason } = container;
    const isUnexplained = state === "exited" && exitCode === killedStatus && (reason === "Error" || reason === "");
    return isUnexplained && kernelKilledIn(id) ? { ...container, reason: "OOMKilled" } : container;
  });
  return { ...read, containers };
}
