import { namespaces, serviceAccounts, nodeLeaseNamespace } from "@kintsugi/api";
import type { KubeObject } from "../resources/resource.ts";

const names = ["default", "kube-system", "kube-public", nodeLeaseNamespace];

/** Namespaces that every cluster has; the first three cannot be deleted. */
export const systemNamespaces: readonly KubeObject[] = names.map((name) => ({
  apiVersion: "v1",
  kind: namespaces.kind,
  metadata: { name },
}));

/**
 * A controller creates these objects in each namespace. The server makes them in the first
 * namespaces, so that the first pod of a cluster does not wait for the controller.
 */
export const systemServiceAccounts: readonly KubeObject[] = names.map((namespace) => ({
  apiVersion: "v1",
  kind: serviceAccounts.kind,
  metadata: { name: "default", namespace },
}));
