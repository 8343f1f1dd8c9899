import { checkLabel1123, checkQualifiedName } from "../../../values/names.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { formatAge } from "../../../table/cells.ts";
import type { Faults } from "../../../validation/faults.ts";
import { defineKind, kindVerbs } from "../../define-kind.ts";
import { namespaces } from "./namespace-type.ts";
import { Namespace } from "./namespace.ts";

/**
 * Upstream's finalizer in spec: the namespace controller removes it when the namespace is empty.
 */
const namespaceFinalizer = "kubernetes";

export const namespaceKind = defineKind<Namespace>({
  type: namespaces,
  schema: Namespace,
  defaults: setNamespaceDefaults,
  validation: { checkName: checkLabel1123, validate: validateNamespace },
  strategy: {
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
  },
  subresources: ["finalize", "status"],
  selectable: { "status.phase": (namespace) => namespace.status?.phase },
  table: {
    columns: [nameColumn, column("Status", "The status of the namespace"), ageColumn],
    cells: (namespace, nowMs) => [
      namespace.metadata.name ?? "",
      namespace.status?.phase ?? "",
      formatAge(namespace, nowMs),
    ],
  },
  // Namespaces are deleted one by one.
  verbs: kindVerbs.filter((verb) => verb !== "deletecollection"),
  exceptions: { isNamespace: true },
});

/** Every namespace can be selected by its name, and is removed only after its content. */
function setNamespaceDefaults(namespace: Namespace): void {
  const { name } = namespace.metadata;
  if (name !== undefined && name !== "") {
    namespace.metadata.labels = { ...namespace.metadata.labels, "kubernetes.io/metadata.name": name };
  }
  namespace.spec ??= {};
  namespace.status ??= {};
  namespace.status.phase ||= "Active";
}

function validateNamespace({ spec }: Namespace, faults: Faults): void {
  for (const [index, finalizer] of (spec?.finalizers ?? []).entries()) {
    const path = `spec.finalizers[${index}]`;
    faults.invalidEach(path, finalizer, checkQualifiedName(finalizer));
    if (!finalizer.includes("/") && finalizer !== namespaceFinalizer) {
      faults.invalid(path, finalizer, "name is neither a standard finalizer name nor is it fully qualified");
    }
  }
}
