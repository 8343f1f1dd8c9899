import { pods } from "@kintsugi/api";
import type { Invariant, InvariantContext } from "../invariant.ts";
import { containerName, isRunning } from "../observed/known-containers.ts";

/** Time within which a kubelet finds containers without pods, and removes them. */
const housekeepingMs = 60_000;

/** A running container is the only running container of its name in its pod. */
export function containersRunOnce({ known }: InvariantContext): Invariant {
  return {
    name: "containers-run-once",
    never: "two running containers of one name in one pod",
    container({ type, container }, check) {
      if (type !== "started") return;
      const others = known.containers.running(container.uid).filter((other) => other !== container);
      const twin = others.find(({ name }) => name === container.name);
      check(twin && `${containerName(container)} was started on ${container.node} while ${containerName(twin)} runs`);
    },
  };
}

/** A container that must not run again does not run. */
export function endedContainersStayEnded({ known }: InvariantContext): Invariant {
  const ran = new Set<string>();

  return {
    name: "ended-containers-stay-ended",
    never: "a container of a pod with restartPolicy Never that runs twice",
    container({ type, container }, check) {
      const pod = known.of(pods).get(container.podKey);
      if (type !== "started" || pod?.metadata.uid !== container.uid || pod.spec?.restartPolicy !== "Never") return;
      const which = `${container.uid}/${container.name}`;
      check(ran.has(which) ? `${containerName(container)} was started again` : undefined);
      ran.add(which);
    },
  };
}

/** Containers whose pods no longer exist are removed. */
export function orphanedContainersAreRemoved({ known, quietPeriod }: InvariantContext): Invariant {
  return {
    name: "orphaned-containers-are-removed",
    never: "a container without its pod for longer than a minute without disturbance",
    tick(check) {
      const { containers } = known;
      if (quietPeriod.forMs < housekeepingMs) return;
      for (const container of containers.all()) {
        if (quietPeriod.lostNodes.has(container.node)) continue;
        const isOrphan = known.of(pods).get(container.podKey)?.metadata.uid !== container.uid;
        const forMs = isOrphan ? known.goneForMs(container.uid) : 0;
        check(
          forMs > housekeepingMs
            ? `${containerName(container)} ${isRunning(container) ? "runs" : "remains"} on ${container.node} without its pod`
            : undefined,
        );
      }
    },
  };
}
