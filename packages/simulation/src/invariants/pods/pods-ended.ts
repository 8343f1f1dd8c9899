import { isPodBound } from "@kintsugi/api";
import type { Invariant, InvariantContext } from "../invariant.ts";
import { nameOf } from "../observed/known.ts";
import { containerName } from "../observed/known-containers.ts";

/** S8, of pods: the object is the last that goes, unless somebody has forced it to go first. */
export function podsEnded({ known }: InvariantContext): Invariant {
  return {
    name: "S8",
    never: "a pod that is gone while a container of it runs, and nobody had forced its deletion",
    pod({ type, object }, check) {
      const { uid = "" } = object.metadata;
      if (type !== "delete" || !isPodBound(object)) return;
      if (known.forcedDeletions.delete(uid)) return;
      const [running] = known.containers.running(uid);
      check(running && `pod ${nameOf(object)} is gone, and ${containerName(running)} runs on ${running.node}`);
    },
  };
}
