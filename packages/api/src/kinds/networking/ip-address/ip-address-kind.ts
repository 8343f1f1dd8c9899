import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import type { Faults } from "../../../validation/faults.ts";
import { checkAddress } from "../../../values/ip-address.ts";
import { checkPathSegment, checkSubdomain1123 } from "../../../values/names.ts";
import { sameJson } from "../../../values/json.ts";
import { defineKind } from "../../define-kind.ts";
import { ipAddresses } from "./ip-address-type.ts";
import { IPAddress, type ParentReference } from "./ip-address.ts";

/** A field of the index that no selector may name: the object that uses the address. */
export const addressParentField = "parentRef";

export const ipAddressKind = defineKind<IPAddress>({
  type: ipAddresses,
  schema: IPAddress,
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
    columns: [nameColumn, column("ParentRef", "The object that uses the address."), ageColumn],
    cells: (address, nowMs) => [
      address.metadata.name ?? "",
      formatParent(address.spec.parentRef),
      formatAge(address, nowMs),
    ],
  },
});

/** "services/default/web": group, resource, namespace and name, without those that are empty. */
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
