import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import type { Faults } from "../../../validation/faults.ts";
import { checkLabel1123 } from "../../../values/names.ts";
import { validateDomainPath } from "../../../validation/domain-path.ts";
import { defineKind } from "../../define-kind.ts";
import { validateTypedReference } from "../ingress/ingress-validation.ts";
import { ingressClasses } from "./ingress-class-type.ts";
import { IngressClass, type IngressClassParametersReference, isDefaultIngressClass } from "./ingress-class.ts";

export const ingressClassKind = defineKind<IngressClass>({
  type: ingressClasses,
  schema: IngressClass,
  defaults: ({ spec }) => {
    if (spec?.parameters !== undefined) spec.parameters.scope ??= "Cluster";
  },
  validation: {
    validate: ({ spec }, faults) => {
      validateController(spec?.controller ?? "", faults);
      if (spec?.parameters !== undefined) validateParameters(spec.parameters, faults);
    },
    update: (after, before, faults) => {
      const [now, then] = [after.spec?.controller ?? "", before.spec?.controller ?? ""];
      faults.immutable("spec.controller", now, now === then);
    },
  },
  strategy: { generation: true },
  indexed: { isDefault: (ingressClass) => (isDefaultIngressClass(ingressClass) ? "true" : undefined) },
  table: {
    columns: [
      nameColumn,
      column("Controller", "Controller that serves the class."),
      column("Parameters", "Object with additional settings for the controller."),
      ageColumn,
    ],
    cells: (ingressClass, nowMs) => [
      ingressClass.metadata.name ?? "",
      ingressClass.spec?.controller ?? "",
      formatParameters(ingressClass.spec?.parameters),
      formatAge(ingressClass, nowMs),
    ],
  },
});

const controllerLengthMax = 250;

function validateController(controller: string, faults: Faults): void {
  if (controller.length > controllerLengthMax) faults.tooLong("spec.controller", controllerLengthMax);
  validateDomainPath(controller, "spec.controller", faults);
}

function validateParameters(parameters: IngressClassParametersReference, faults: Faults): void {
  const { scope = "", namespace } = parameters;
  const path = "spec.parameters";
  validateTypedReference(parameters, path, faults);
  if (scope === "Cluster") {
    if (namespace !== undefined) faults.forbidden(`${path}.namespace`, "`parameters.scope` is set to 'Cluster'");
  } else if (scope !== "Namespace") {
    faults.notSupported(`${path}.scope`, scope, ["Cluster", "Namespace"]);
  } else if (namespace === undefined) {
    faults.required(`${path}.namespace`, "`parameters.scope` is set to 'Namespace'");
  } else faults.invalidEach(`${path}.namespace`, namespace, checkLabel1123(namespace));
}

function formatParameters(parameters: IngressClassParametersReference | undefined): string {
  if (parameters === undefined) return "<none>";
  const { apiGroup, kind, name } = parameters;
  return `${kind}${apiGroup === undefined ? "" : `.${apiGroup}`}/${name}`;
}
