import type { Pod, Service } from "@kintsugi/api";
import { aPod, type PodTraits } from "../../../testing/test-cluster.ts";

export interface ServedPodTraits extends PodTraits {
  ips?: readonly string[];
  spec?: Partial<NonNullable<Pod["spec"]>>;
}

/** Makes a pod on node n1 with addresses, unless its traits differ: 10.0.0.1 for p1. */
export function aServedPod(name: string, traits: ServedPodTraits = {}): Pod {
  const { ips = [`10.0.0.${/\d+$/.exec(name)?.[0] ?? "1"}`], spec, ...others } = traits;
  const pod = aPod(name, { node: "n1", ...others });
  return {
    ...pod,
    spec: { ...pod.spec, ...spec } as NonNullable<Pod["spec"]>,
    status: { ...pod.status, ...(ips.length === 0 ? {} : { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }) },
  } as Pod;
}

/** The Service `web` on port 80, for pods labelled app=web, as the server completes it. */
export function aService(traits: Partial<NonNullable<Service["spec"]>> = {}, metadata: object = {}): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: "web",
      namespace: "default",
      uid: "uid-of-service",
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...metadata,
    },
    spec: {
      type: "ClusterIP",
      selector: { app: "web" },
      clusterIP: "10.96.0.10",
      ipFamilies: ["IPv4"],
      ports: [{ port: 80, targetPort: 8080, protocol: "TCP" }],
      ...traits,
    },
  };
}
