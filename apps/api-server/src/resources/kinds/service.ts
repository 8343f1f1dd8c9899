import { checkLabel1035, Service, services } from "@kintsugi/api";
import { type FieldProblem, immutable } from "../../http/refusals.ts";
import { defineResource } from "../resource.ts";

export const serviceResource = defineResource<Service>({
  type: services,
  schema: Service,
  subresources: ["status"],
  rules: {
    status: true,
    checkName: checkLabel1035,
    returnsDeleted: true,
    prepareForCreate: (service) => {
      service.status = { loadBalancer: {} };
    },
    prepareForUpdate: keepAddress,
    selectableFields: {
      "spec.clusterIP": (service) => service.spec?.clusterIP,
      "spec.type": (service) => service.spec?.type,
    },
    validateUpdate: (service, before) => {
      const problems: FieldProblem[] = [];
      const address = before.spec?.clusterIP ?? "";
      const external = service.spec?.type === "ExternalName" || before.spec?.type === "ExternalName";
      if (!external && address !== "" && service.spec?.clusterIP !== address) {
        problems.push(immutable("spec.clusterIPs[0]", service.spec?.clusterIPs));
      }
      return problems;
    },
  },
});

/** An update that leaves the address out means the one that the service has. */
function keepAddress(service: Service, before: Service): void {
  const { spec } = service;
  if (spec === undefined || spec.type === "ExternalName" || (spec.clusterIP ?? "") !== "") return;
  if (before.spec?.clusterIP !== undefined) spec.clusterIP = before.spec.clusterIP;
  if (before.spec?.clusterIPs !== undefined) spec.clusterIPs = before.spec.clusterIPs;
}
