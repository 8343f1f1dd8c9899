import { sameJson } from "../../../values/json.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { formatAge, formatFirst } from "../../../table/cells.ts";
import { defineKind } from "../../define-kind.ts";
import { endpointSlices } from "./endpoint-slice-type.ts";
import { validateEndpointSlice, validateEndpointSliceUpdate } from "./endpoint-slice-validation.ts";
import { EndpointSlice } from "./endpoint-slice.ts";

export const endpointSliceKind = defineKind<EndpointSlice>({
  type: endpointSlices,
  schema: EndpointSlice,
  defaults: ({ ports = [] }) => {
    for (const port of ports) {
      port.name ??= "";
      port.protocol ??= "TCP";
    }
  },
  validation: { validate: validateEndpointSlice, update: validateEndpointSliceUpdate },
  strategy: {
    prepareForCreate: (slice) => {
      slice.metadata.generation = 1;
    },
    // A slice has no spec, so its generation counts changes of its endpoints and ports.
    prepareForUpdate: (slice, before) => {
      const same = sameJson([slice.endpoints, slice.ports], [before.endpoints, before.ports]);
      slice.metadata.generation = (before.metadata.generation ?? 0) + (same ? 0 : 1);
    },
  },
  table: {
    columns: [
      nameColumn,
      column("AddressType", "Type of the addresses: IPv4, IPv6 or FQDN."),
      column("Ports", "Ports of the endpoints."),
      column("Endpoints", "Addresses of the endpoints."),
      ageColumn,
    ],
    cells: (slice, nowMs) => {
      const ports = (slice.ports ?? []).map(({ port, name }) => (port === undefined ? (name ?? "*") : String(port)));
      return [
        slice.metadata.name ?? "",
        slice.addressType,
        formatFirst(ports),
        formatFirst((slice.endpoints ?? []).flatMap(({ addresses }) => addresses)),
        formatAge(slice, nowMs),
      ];
    },
  },
});
