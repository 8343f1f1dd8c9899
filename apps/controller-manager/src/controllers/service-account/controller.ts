import { namespaces, type ServiceAccount, serviceAccounts } from "@kintsugi/api";
import { defineController } from "../../context.ts";
import { namespaceObjectParts } from "../../shared/namespace-objects/namespace-object-parts.ts";
import type { NamespaceObject } from "../../shared/namespace-objects/namespace-object-reconciler.ts";
import { serviceAccountRole } from "@kintsugi/rules";

/** The default account of pods. Changes by a client are preserved. */
const defaultServiceAccount: NamespaceObject<ServiceAccount> = {
  type: serviceAccounts,
  objectName: "default",
  plan: (namespace, current) => (current ? undefined : { metadata: { name: "default", namespace } }),
};

/**
 * Creates the service account "default" of each namespace: upstream's
 * serviceaccounts_controller.go.
 */
export const serviceAccountController = defineController({
  name: "serviceaccount",
  options: {},
  roles: [serviceAccountRole],
  reads: [namespaces, serviceAccounts],
  create: (context) => namespaceObjectParts(context, defaultServiceAccount),
});
