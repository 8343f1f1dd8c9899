import { isPodBound, pods } from "@kintsugi/api";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { nameOf } from "../observed/known.ts";
import { containerName } from "../observed/known-containers.ts";

/** The object of a pod is the last that goes, unless a client has forced it to go first. */
export function containersEndBeforeTheirPod({ known }: InvariantContext): Invariant {
  return {
    name: "containers-end-before-their-pod",
    never: "a pod that is gone while a container of it runs, without a forced deletion",
    observes: [
      onKind(pods, ({ type, object }, check) => {
        const { uid = "" } = object.metadata;
        if (type !== "delete" || !isPodBound(object)) return;
        if (known.forcedDeletions.has(uid)) return;
        const [running] = known.containers.running(uid);
        check(running && `pod ${nameOf(object)} is gone, and ${containerName(running)} runs on ${running.node}`);
      }),
    ],
  };
}
