import { isPodBound, pods } from "@kintsugi/api";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { nameOf } from "../observed/known-objects.ts";
import { containerName } from "../observed/known-containers.ts";

/**
 * A pod's object is removed only after its containers have ended, unless a client has force-deleted
 * it.
 */
export function containersEndBeforeTheirPod({ known }: InvariantContext): Invariant {
  return {
    name: "containers-end-before-their-pod",
    never: "a pod that is removed while one of its containers runs, without a forced deletion",
    observes: [
      onKind(pods, ({ type, object }, check) => {
        const { uid = "" } = object.metadata;
        if (type !== "delete" || !isPodBound(object)) return;
        if (known.forcedDeletions.has(uid)) return;
        const [running] = known.containers.running(uid);
        check(
          running && `pod ${nameOf(object)} is removed, but ${containerName(running)} still runs on ${running.node}`,
        );
      }),
    ],
  };
}
