import type { Pod } from "@kintsugi/api";
import type { Check, Invariant, Seen } from "./invariant.ts";
import { nameOf } from "./known.ts";

/** S9: a pod is bound once. */
export class BindingsHold implements Invariant {
  readonly name = "S9";
  readonly never = "a pod that moves to another node";

  pod({ type, object, before }: Seen<Pod>, check: Check): void {
    const from = before?.spec?.nodeName ?? "";
    if (type === "delete" || from === "" || before?.metadata.uid !== object.metadata.uid) return;
    const to = object.spec?.nodeName ?? "";
    check(to === from ? undefined : `pod ${nameOf(object)} moved from ${from} to "${to}"`);
  }
}
