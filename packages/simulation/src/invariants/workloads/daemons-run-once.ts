import { controllerOf, type DaemonSet, daemonSets, pods } from "@kintsugi/api";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { containerName, isRunning } from "../observed/known-containers.ts";

/** Two daemons of one DaemonSet run on a node only while a rollout may surge. */
export function daemonsRunOnce({ known }: InvariantContext): Invariant {
  /** The UID of the DaemonSet, by the UID of its pod. */
  const ownerOf = new Map<string, string>();

  return {
    name: "daemons-run-once",
    never:
      "two running pods of a DaemonSet on one node, unless its rollouts may surge, or a user has force-deleted the first pod",
    observes: [
      onKind(pods, ({ object }) => {
        const owner = controllerOf(object);
        if (owner?.kind === "DaemonSet") ownerOf.set(object.metadata.uid ?? "", owner.uid);
      }),
    ],
    container({ type, container }, check) {
      const owner = ownerOf.get(container.uid);
      if (type !== "started" || owner === undefined) return;
      const set = [...known.of(daemonSets).values()].find(({ metadata }) => metadata.uid === owner);
      if (set === undefined || maySurge(set)) return;
      const twin = [...known.containers.all()].find(
        (other) =>
          other.node === container.node &&
          other.uid !== container.uid &&
          ownerOf.get(other.uid) === owner &&
          isRunning(other) &&
          !known.forcedDeletions.has(other.uid),
      );
      check(
        twin && `${containerName(container)} was started on ${container.node}, where ${containerName(twin)} still runs`,
      );
    },
  };
}

function maySurge({ spec }: DaemonSet): boolean {
  const { maxSurge = 0 } = spec?.updateStrategy?.rollingUpdate ?? {};
  return maxSurge !== 0 && maxSurge !== "0%";
}
