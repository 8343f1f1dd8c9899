import { namespaces } from "@kintsugi/api";
import type { KubeObject } from "../resources/resource.ts";

/** Namespaces that every cluster has; the first three cannot be deleted. */
export const systemNamespaces: readonly KubeObject[] = ["default", "kube-system", "kube-public", "kube-node-lease"].map(
  (name) => ({ apiVersion: "v1", kind: namespaces.kind, metadata: { name } }),
);
