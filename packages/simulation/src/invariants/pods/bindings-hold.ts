import { pods } from "@kintsugi/api";
import { type Invariant, onKind } from "../invariant.ts";
import { nameOf } from "../observed/known-objects.ts";

/** A pod is bound only once. */
export function bindingsHold(): Invariant {
  return {
    name: "bindings-hold",
    never: "a pod that moves to another node",
    observes: [
      onKind(pods, ({ type, object, before }, check) => {
        const from = before?.spec?.nodeName ?? "";
        if (type === "delete" || from === "" || before?.metadata.uid !== object.metadata.uid) return;
        const to = object.spec?.nodeName ?? "";
        check(to === from ? undefined : `pod ${nameOf(object)} moved from ${from} to "${to}"`);
      }),
    ],
  };
}
