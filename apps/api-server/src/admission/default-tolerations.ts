import { type Pod, pods, type Toleration } from "@kintsugi/api";
import type { ServerOptions } from "../server-options.ts";
import type { AdmissionStep } from "./admission.ts";

/**
 * Seconds that a pod remains on a node that fails, unless its own tolerations set a time. The
 * profile has the default, `defaultTolerationSeconds`.
 */
export function defaultTolerations(
  options: Pick<ServerOptions, "defaultNotReadyTolerationSeconds" | "defaultUnreachableTolerationSeconds">,
): AdmissionStep {
  const defaults = [
    { key: "node.kubernetes.io/not-ready", tolerationSeconds: options.defaultNotReadyTolerationSeconds },
    { key: "node.kubernetes.io/unreachable", tolerationSeconds: options.defaultUnreachableTolerationSeconds },
  ];
  return {
    name: "DefaultTolerationSeconds",
    handles: { operations: ["create", "update"], resources: [pods], subresources: [""] },
    mutate: ({ operation, resource, subresource, object }) => {
      if (resource.type.kind !== "Pod" || subresource !== "" || object === undefined) return;
      if (operation !== "create" && operation !== "update") return;
      const { spec } = object as Pod;
      if (spec === undefined) return;
      for (const { key, tolerationSeconds } of defaults) {
        const tolerations = spec.tolerations ?? [];
        if (tolerations.some((toleration) => concerns(toleration, key))) continue;
        spec.tolerations = [...tolerations, { key, operator: "Exists", effect: "NoExecute", tolerationSeconds }];
      }
    },
  };
}

/**
 * A toleration without a key tolerates every key, and a toleration without an effect tolerates
 * every effect.
 */
function concerns({ key = "", effect }: Toleration, taint: string): boolean {
  const effectText: string = effect ?? "";
  return (key === taint || key === "") && (effectText === "NoExecute" || effectText === "");
}
