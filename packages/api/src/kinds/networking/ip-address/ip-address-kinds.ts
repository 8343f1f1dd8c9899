import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import type { Faults } from "../../../validation/faults.ts";
import { checkAddress } from "../../../values/ip-address.ts";
import { checkPathSegment, checkSubdomain1123 } from "../../../values/names.ts";
import { sameJson } from "../../../values/json.ts";
import { defineKind, type KindDefinition } from "../../define-kind.ts";
import { sameInVersion } from "../../same-in-version.ts";
import { ipAddresses, ipAddressesV1beta1 } from "./ip-address-type.ts";
import { IPAddress, IPAddressV1beta1, type ParentReference } from "./ip-address.ts";

/** A field of the index that selectors may not name: the object that uses the address. */
export const addressParentField = "parentRef";

const common: Omit<KindDefinition<IPAddress>, "type" | "schema" | "view"> = {
  validation: {
    checkName: checkAddress,
    validate: ({ spec }, faults) => validateParent(spec.parentRef, faults),
    update: (after, before, faults) => {
      const { parentRef } = after.spec;
      faults.immutable("spec.parentRef", parentRef, sameJson(parentRef, before.spec.parentRef));
    },
  },
  strategy: { conditionalUpdateOnly: true },
  indexed: { [addressParentField]: ({ spec }) => formatParent(spec.parentRef) },
  table: {
    columns: [nameColumn, column("ParentRef", "Object that uses the address."), ageColumn],
    cells: (address, nowMs) => [
      address.metadata.name ?? "",
      formatParent(address.spec.parentRef),
      formatAge(address, nowMs),
    ],
  },
};

export const ipAddressKind = defineKind<IPAddress>({ ...common, type: ipAddresses, schema: IPAddress });

/** The same objects for clients of 1.31 and 1.32. */
export const ipAddressV1beta1Kind = defineKind<IPAddress>({
  ...common,
  type: ipAddressesV1beta1,
  schema: IPAddressV1beta1,
  view: sameInVersion(ipAddressesV1beta1, ipAddresses),
});

/** "services/default/web": group, resource, namespace and name, without empty parts. */
export function formatParent(parent: ParentReference | undefined): string {
  if (parent === undefined) return "<none>";
  const { group = "", resource, namespace = "", name } = parent;
  return `${group === "" ? "" : `${group}/`}${resource}/${namespace === "" ? "" : `${namespace}/`}${name}`;
}

const path = "spec.parentRef";

function validateParent(parent: ParentReference | undefined, faults: Faults): void {
  if (parent === undefined) return faults.required(path);
  const { group = "", resource, namespace = "", name } = parent;
  if (group !== "") faults.invalidEach(`${path}.group`, group, checkSubdomain1123(group));
  validateSegment("resource", resource, faults);
  validateSegment("name", name, faults);
  if (namespace !== "") faults.invalidEach(`${path}.namespace`, namespace, checkPathSegment(namespace));
}

function validateSegment(field: string, value: string, faults: Faults): void {
  if (value === "") faults.required(`${path}.${field}`);
  else faults.invalidEach(`${path}.${field}`, value, checkPathSegment(value));
}
