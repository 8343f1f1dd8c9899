import { formatTimestamp, type Node, type Pod, type Taint, type Toleration } from "@kintsugi/api";

const zeroMs = 1_767_225_600_000;

interface NodeTraits {
  labels?: Record<string, string>;
  ready?: "True" | "False" | "Unknown" | "none";
  taints?: Taint[];
}

export function aNode(name: string, { labels = {}, ready = "True", taints }: NodeTraits = {}): Node {
  const conditions = ready === "none" ? [] : [{ type: "Ready", status: ready }];
  return { metadata: { name, labels }, spec: taints ? { taints } : {}, status: { conditions } };
}

export function aPod(name: string, traits: { createdMs?: number; tolerations?: Toleration[] } = {}): Pod {
  const { createdMs = zeroMs, tolerations } = traits;
  return {
    metadata: { name, namespace: "default", creationTimestamp: formatTimestamp(createdMs) },
    spec: { containers: [{ name: "main" }], ...(tolerations ? { tolerations } : {}) },
  };
}
