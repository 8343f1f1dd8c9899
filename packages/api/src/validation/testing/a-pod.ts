import { applyDefaults } from "../../defaults/apply-defaults.ts";
import { Pod } from "../../kinds/pod/pod.ts";
import { pods } from "../../resources.ts";
import { parseObject } from "../../parsing/parse-object.ts";

export const container = { name: "c", image: "nginx:1" };

/** A pod with its defaults: one container, unless the spec says otherwise. */
export function aPod(spec: object = {}, metadata: object = {}): Pod {
  const body = {
    metadata: { name: "web", namespace: "default", ...metadata },
    spec: { containers: [container], ...spec },
  };
  return applyDefaults(pods, parseObject(Pod, pods, body));
}
