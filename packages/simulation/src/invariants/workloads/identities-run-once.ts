import { controllerOf, pods } from "@kintsugi/api";
import type { Invariant, InvariantContext } from "../invariant.ts";
import { containerName, isRunning } from "../observed/known-containers.ts";

/**
 * Two pods of a StatefulSet with one name never run at the same time, on any nodes, regardless of
 * what the API shows. A user who forces a deletion, deletes a Node or marks a Node as out of
 * service declares that the pod no longer runs; a controller that forces a deletion for another
 * reason violates this invariant.
 */
export function identitiesRunOnce({ known }: InvariantContext): Invariant {
  return {
    name: "identities-run-once",
    never:
      "two running pods of one identity of a StatefulSet, unless a user has force-deleted the first pod or declared its node off",
    container({ type, container }, check) {
      const pod = known.of(pods).get(container.podKey);
      if (type !== "started" || pod?.metadata.uid !== container.uid) return;
      if (controllerOf(pod)?.kind !== "StatefulSet") return;
      const others = [...known.containers.all()].filter(
        ({ podKey, uid }) => podKey === container.podKey && uid !== container.uid,
      );
      const twin = others.find((other) => isRunning(other) && !known.forcedDeletions.isAtUsersRisk(other.uid));
      check(
        twin &&
          `${containerName(container)} was started on ${container.node} while ${containerName(twin)} of an earlier pod runs on ${twin.node}`,
      );
    },
  };
}
