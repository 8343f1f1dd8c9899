import type { Pod } from "../../kinds/core/pod/pod.ts";
import { applyDefaults } from "../../kinds/define-kind.ts";
import { podKind } from "../../kinds/core/pod/pod-kind.ts";
import { parseObject } from "../../parsing/parse-object.ts";

export const container = { name: "c", image: "nginx:1" };

/** Returns a pod with its defaults, and one container unless the spec lists other containers. */
export function aPod(spec: object = {}, metadata: object = {}): Pod {
  const body = {
    metadata: { name: "web", namespace: "default", ...metadata },
    spec: { containers: [container], ...spec },
  };
  return applyDefaults(podKind, parseObject(podKind.schema, podKind.type, body));
}
