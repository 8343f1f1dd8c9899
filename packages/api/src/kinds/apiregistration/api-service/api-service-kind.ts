import { findCondition, withCondition } from "../../../meta/conditions.ts";
import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import type { Faults } from "../../../validation/faults.ts";
import { validateObjectMeta } from "../../../validation/object-meta.ts";
import { checkLabel1035, checkPortNumber, checkSubdomain1123 } from "../../../values/names.ts";
import { defineKind } from "../../define-kind.ts";
import { apiServices } from "./api-service-type.ts";
import { APIService, type APIServiceCondition, type APIServiceSpec } from "./api-service.ts";

/** The condition of an APIService that the API server itself serves. */
const localCondition: APIServiceCondition = {
  type: "Available",
  status: "True",
  reason: "Local",
  message: "Local APIServices are always available",
};

export const apiServiceKind = defineKind<APIService>({
  type: apiServices,
  schema: APIService,
  defaults: ({ spec }) => {
    if (spec?.service !== undefined) spec.service.port ??= 443;
  },
  validation: {
    create: (service, faults) => {
      const { spec } = service;
      const name = `${spec?.version ?? ""}.${spec?.group ?? ""}`;
      const checkName = (given: string) =>
        given === name ? [] : [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(name)}`];
      validateObjectMeta(service.metadata, { namespaced: false, checkName }, faults);
      validateSpec(spec, faults);
    },
    validate: ({ spec }, faults) => validateSpec(spec, faults),
    update: ({ metadata, spec }, _before, faults) => {
      const name = `${spec?.version ?? ""}.${spec?.group ?? ""}`;
      if (metadata.name === name) return;
      faults.invalid(
        "metadata.name",
        metadata.name,
        `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(name)}`,
      );
    },
  },
  strategy: {
    status: true,
    conditionalUpdateOnly: true,
    resetFields: { status: { "f:metadata": {}, "f:spec": {} } },
    prepareForCreate: (service, { nowMs }) => {
      if (service.spec?.service !== undefined) return;
      service.status = { conditions: withCondition(undefined, localCondition, nowMs) };
    },
  },
  subresources: ["status"],
  table: {
    columns: [
      nameColumn,
      column("Service", "Service that serves this API, or Local."),
      column("Available", "Availability of the API: True, or False with the reason."),
      ageColumn,
    ],
    cells: (service, nowMs) => [
      service.metadata.name ?? "",
      serviceText(service.spec),
      availabilityText(service),
      formatAge(service, nowMs),
    ],
  },
});

function serviceText(spec: APIServiceSpec | undefined): string {
  const { namespace = "", name = "" } = spec?.service ?? {};
  return spec?.service === undefined ? "Local" : `${namespace}/${name}`;
}

function availabilityText({ status }: APIService): string {
  const condition = findCondition(status?.conditions, "Available");
  if (condition === undefined) return "Unknown";
  return condition.status === "True" ? "True" : `${condition.status} (${condition.reason ?? ""})`;
}

const [groupPriorityMax, versionPriorityMax] = [20_000, 1_000] as const;

/** The rules follow kube-aggregator's validation. */
function validateSpec(spec: APIServiceSpec | undefined, faults: Faults): void {
  const { group = "", version = "", groupPriorityMinimum = 0, versionPriority = 0, service } = spec ?? {};
  if (group === "" && version !== "v1") {
    faults.required("spec.group", "only v1 may have an empty group and it better be legacy kube");
  }
  if (group !== "") faults.invalidEach("spec.group", group, checkSubdomain1123(group));
  faults.invalidEach("spec.version", version, checkLabel1035(version));
  if (groupPriorityMinimum <= 0 || groupPriorityMinimum > groupPriorityMax) {
    faults.invalid("spec.groupPriorityMinimum", groupPriorityMinimum, "must be positive and less than 20000");
  }
  if (versionPriority <= 0 || versionPriority > versionPriorityMax) {
    faults.invalid("spec.versionPriority", versionPriority, "must be positive and less than 1000");
  }
  const { caBundle = "", insecureSkipTLSVerify = false } = spec ?? {};
  if (service === undefined) return validateLocal({ caBundle, insecureSkipTLSVerify }, faults);
  if ((service.namespace ?? "") === "") faults.required("spec.service.namespace");
  if ((service.name ?? "") === "") faults.required("spec.service.name");
  const problems = checkPortNumber(service.port ?? 443);
  if (problems.length > 0) {
    faults.invalid("spec.service.port", service.port, `port is not valid: ${problems.join(", ")}`);
  }
  if (insecureSkipTLSVerify && caBundle !== "") {
    faults.invalid("spec.insecureSkipTLSVerify", true, "may not be true if caBundle is present");
  }
}

function validateLocal(
  { caBundle, insecureSkipTLSVerify }: { caBundle: string; insecureSkipTLSVerify: boolean },
  faults: Faults,
): void {
  if (caBundle !== "") {
    faults.invalid("spec.caBundle", `${atob(caBundle).length} bytes`, "local APIServices may not have a caBundle");
  }
  if (insecureSkipTLSVerify) {
    faults.invalid("spec.insecureSkipTLSVerify", true, "local APIServices may not have insecureSkipTLSVerify");
  }
}
