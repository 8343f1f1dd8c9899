import { Namespace, namespaces } from "@kintsugi/api";
import { defineResource } from "../resource.ts";

/** Upstream's finalizer in spec: the namespace controller removes it when the namespace is empty. */
const namespaceFinalizer = "kubernetes";

export const namespaceResource = defineResource<Namespace>({
  type: namespaces,
  schema: Namespace,
  subresources: ["finalize", "status"],
  rules: {
    status: true,
    prepareForCreate: (namespace) => {
      namespace.status = { phase: "Active" };
      const finalizers = namespace.spec?.finalizers ?? [];
      if (!finalizers.includes(namespaceFinalizer))
        namespace.spec = { finalizers: [...finalizers, namespaceFinalizer] };
    },
    prepareForUpdate: (namespace, before, { subresource }) => {
      if (subresource !== "finalize" && before.spec !== undefined) namespace.spec = before.spec;
    },
    prepareForDelete: (namespace) => {
      namespace.status = { ...namespace.status, phase: "Terminating" };
    },
    heldBack: (namespace) => (namespace.spec?.finalizers?.length ?? 0) > 0,
    selectableFields: { "status.phase": (namespace) => namespace.status?.phase },
  },
});
