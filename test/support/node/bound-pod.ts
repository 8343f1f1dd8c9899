import type { Pod, PodSpec } from "@kintsugi/api";
import { systemRandom } from "@kintsugi/clock";

/**
 * A pod of busybox as in the API once it is bound to node-1; the first container of `spec`
 * overrides the usual one.
 */
export function boundPod(
  name: string,
  script: string,
  { containers, ...spec }: Partial<PodSpec> = {},
  annotations?: Readonly<Record<string, string>>,
): Pod {
  return {
    metadata: { name, namespace: "default", uid: systemRandom.uuid(), ...(annotations && { annotations }) },
    spec: {
      nodeName: "node-1",
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 1,
      ...spec,
      containers: [{ name: "c", image: "busybox", command: ["sh", "-c", script], ...containers?.[0] }],
    },
    status: { phase: "Pending" },
  };
}
