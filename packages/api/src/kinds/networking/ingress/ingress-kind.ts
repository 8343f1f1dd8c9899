import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { defineKind } from "../../define-kind.ts";
import { ingresses } from "./ingress-type.ts";
import { validateIngress, validateIngressStatus, validateNewIngress } from "./ingress-validation.ts";
import { Ingress } from "./ingress.ts";

export const ingressKind = defineKind<Ingress>({
  type: ingresses,
  schema: Ingress,
  validation: { validate: validateIngress, create: validateNewIngress, status: validateIngressStatus },
  strategy: { status: true, generation: true },
  subresources: ["status"],
  table: {
    columns: [
      nameColumn,
      column("Class", "Name of the IngressClass that serves the Ingress."),
      column("Hosts", "Hosts of the rules."),
      column("Address", "Addresses of the load balancer."),
      column("Ports", "Ports of the load balancer."),
      ageColumn,
    ],
    cells: (ingress, nowMs) => [
      ingress.metadata.name ?? "",
      ingress.spec?.ingressClassName ?? "<none>",
      formatHosts(ingress),
      formatAddresses(ingress),
      (ingress.spec?.tls ?? []).length > 0 ? "80, 443" : "80",
      formatAge(ingress, nowMs),
    ],
  },
});

/** Maximum number of hosts in a cell. */
const hostsMax = 3;

function formatHosts({ spec }: Ingress): string {
  const hosts = (spec?.rules ?? []).map(({ host = "" }) => host).filter((host) => host !== "");
  if (hosts.length === 0) return "*";
  const shown = hosts.slice(0, hostsMax).join(",");
  return hosts.length > hostsMax ? `${shown} + ${hosts.length - hostsMax} more...` : shown;
}

function formatAddresses({ status }: Ingress): string {
  const points = status?.loadBalancer?.ingress ?? [];
  const addresses = points.map(({ ip = "", hostname = "" }) => (ip === "" ? hostname : ip));
  return [...new Set(addresses.filter((address) => address !== ""))].toSorted().join(",");
}
