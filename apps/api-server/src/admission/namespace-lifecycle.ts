import { forbidden, namespaces } from "@kintsugi/api";
import type { AdmissionStep } from "./admission.ts";

const immortal = new Set(["default", "kube-system", "kube-public"]);

/**
 * Namespaces that the cluster requires and that cannot be deleted. `writes/namespace-active.ts`
 * rejects new objects in a namespace that is being deleted.
 */
export const namespaceLifecycle: AdmissionStep = {
  name: "NamespaceLifecycle",
  handles: { operations: ["delete"], resources: [namespaces] },
  validate: ({ operation, resource, name }) =>
    operation === "delete" && resource.type.resource === namespaces.resource && immortal.has(name)
      ? forbidden(namespaces, name, "this namespace may not be deleted")
      : undefined,
};
