import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { formatAge, formatFirst } from "../../../table/cells.ts";
import { defineKind } from "../../define-kind.ts";
import { endpoints } from "./endpoints-type.ts";
import { validateEndpoints } from "./endpoints-validation.ts";
import { Endpoints } from "./endpoints.ts";

export const endpointsKind = defineKind<Endpoints>({
  type: endpoints,
  schema: Endpoints,
  defaults: ({ subsets = [] }) => {
    for (const { ports = [] } of subsets) for (const port of ports) port.protocol ||= "TCP";
  },
  validation: { validate: validateEndpoints },
  strategy: {
    createOnUpdate: true,
    deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  },
  table: {
    columns: [nameColumn, column("Endpoints", "Addresses of the ready endpoints."), ageColumn],
    cells: (object, nowMs) => [object.metadata.name ?? "", formatSubsets(object), formatAge(object, nowMs)],
  },
});

/** Each address with each port of its subset. */
function formatSubsets({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return "<none>";
  const shown = subsets.flatMap(({ addresses = [], ports = [] }) => {
    const places = addresses.map(({ ip }) => ip);
    return ports.length === 0 ? places : ports.flatMap(({ port }) => places.map((ip) => joinHostPort(ip, port)));
  });
  return shown.length === 0 ? "" : formatFirst(shown);
}

function joinHostPort(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
