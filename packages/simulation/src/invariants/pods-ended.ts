import { isPodBound, type Pod } from "@kintsugi/api";
import type { Check, Invariant, Seen } from "./invariant.ts";
import { type Known, nameOf } from "./known.ts";
import { containerName } from "./known-containers.ts";

/** S8, of pods: the object is the last that goes, unless somebody has forced it to go first. */
export class PodsEnded implements Invariant {
  readonly name = "S8";
  readonly never = "a pod that is gone while a container of it runs, and nobody had forced its deletion";
  readonly #known: Known;

  constructor({ known }: { known: Known }) {
    this.#known = known;
  }

  pod({ type, object }: Seen<Pod>, check: Check): void {
    const { uid = "" } = object.metadata;
    if (type !== "delete" || !isPodBound(object)) return;
    if (this.#known.forcedDeletions.delete(uid)) return;
    const [running] = this.#known.containers.running(uid);
    check(running && `pod ${nameOf(object)} is gone, and ${containerName(running)} runs on ${running.node}`);
  }
}
