import { type ConfigMap, configMaps, namespaces } from "@kintsugi/api";
import { defineController } from "../../context.ts";
import { namespaceObjectParts } from "../../shared/namespace-objects/namespace-object-parts.ts";
import type { NamespaceObject } from "../../shared/namespace-objects/namespace-object-reconciler.ts";
import { rootCaOptions } from "./options.ts";
import { rootCaRole } from "@kintsugi/rules";

const name = "kube-root-ca.crt";
const annotations = {
  "kubernetes.io/description":
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.",
};

/**
 * Publishes in each namespace the certificate with which pods verify the API server: upstream's
 * rootcacertpublisher.
 */
export const rootCaCertPublisher = defineController({
  name: "root-ca-cert-publisher",
  options: rootCaOptions,
  roles: [rootCaRole],
  reads: [namespaces, configMaps],
  needs: { what: "--root-ca-file", of: ({ rootCa }) => (rootCa === "" ? undefined : rootCa) },
  create: (context, rootCa) => namespaceObjectParts(context, rootCaConfigMap(rootCa)),
});

/** The plan undoes any change of the ConfigMap. */
function rootCaConfigMap(rootCa: string): NamespaceObject<ConfigMap> {
  const data = { "ca.crt": rootCa };
  return {
    type: configMaps,
    objectName: name,
    plan(namespace, current) {
      if (current === undefined) return { metadata: { name, namespace, annotations }, data };
      const keys = Object.keys(current.data ?? {});
      return keys.length === 1 && current.data?.["ca.crt"] === rootCa ? undefined : { ...current, data };
    },
  };
}
