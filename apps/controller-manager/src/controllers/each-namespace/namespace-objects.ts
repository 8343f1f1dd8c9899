import { type ConfigMap, configMaps, type ServiceAccount, serviceAccounts } from "@kintsugi/api";
import type { NamespaceObject } from "./controller.ts";

/** By whom pods run that name nobody (serviceaccounts_controller.go). What was changed in it stays. */
export const defaultServiceAccount: NamespaceObject<ServiceAccount> = {
  name: "serviceaccount",
  type: serviceAccounts,
  objectName: "default",
  plan: (namespace, current) => (current ? undefined : { metadata: { name: "default", namespace } }),
};

/** With what pods verify the API server (rootcacertpublisher). What was changed in it is set right. Nothing is published of "". */
export function rootCaConfigMap(rootCa: string): NamespaceObject<ConfigMap> {
  const data = { "ca.crt": rootCa };
  const name = "kube-root-ca.crt";
  const annotations = {
    "kubernetes.io/description":
      "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.",
  };
  return {
    name: "root-ca-cert-publisher",
    type: configMaps,
    objectName: name,
    plan(namespace, current) {
      if (rootCa === "") return undefined;
      if (current === undefined) return { metadata: { name, namespace, annotations }, data };
      const keys = Object.keys(current.data ?? {});
      if (keys.length === 1 && current.data?.["ca.crt"] === rootCa) return undefined;
      return { ...current, data };
    },
  };
}
