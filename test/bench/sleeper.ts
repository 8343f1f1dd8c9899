import type { Pod } from "@kintsugi/api";

/** A pod without load. */
export function sleeper(name: string): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name: "c", image: "busybox:1", command: ["sleep", "3600"] }],
    },
  } as Pod;
}
