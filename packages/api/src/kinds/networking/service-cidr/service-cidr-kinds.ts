import { isConditionTrue } from "../../../meta/conditions.ts";
import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import type { Faults } from "../../../validation/faults.ts";
import { checkCidr, cidrFamily } from "../../../values/ip-address.ts";
import { defineKind, type KindDefinition } from "../../define-kind.ts";
import { sameInVersion } from "../../same-in-version.ts";
import { serviceCidrs, serviceCidrsV1beta1 } from "./service-cidr-type.ts";
import { ServiceCIDR, ServiceCIDRV1beta1 } from "./service-cidr.ts";

/** A field of the index that selectors may not name: the ranges that Services may use now. */
export const readyRangesField = "readyRanges";

const common: Omit<KindDefinition<ServiceCIDR>, "type" | "schema" | "view"> = {
  validation: { validate: ({ spec }, faults) => validateRanges(spec?.cidrs ?? [], faults), update: validateUpdate },
  strategy: { status: true, conditionalUpdateOnly: true },
  subresources: ["status"],
  indexed: { [readyRangesField]: readyRangesOf },
  table: {
    columns: [nameColumn, column("CIDRs", "Ranges of IP addresses."), ageColumn],
    cells: (range, nowMs) => [range.metadata.name ?? "", (range.spec?.cidrs ?? []).join(","), formatAge(range, nowMs)],
  },
};

export const serviceCidrKind = defineKind<ServiceCIDR>({ ...common, type: serviceCidrs, schema: ServiceCIDR });

/** The same objects for clients of 1.31 and 1.32. */
export const serviceCidrV1beta1Kind = defineKind<ServiceCIDR>({
  ...common,
  type: serviceCidrsV1beta1,
  schema: ServiceCIDRV1beta1,
  view: sameInVersion(serviceCidrsV1beta1, serviceCidrs),
});

function readyRangesOf({ metadata, spec, status }: ServiceCIDR): string | undefined {
  if (metadata.deletionTimestamp !== undefined || !isConditionTrue(status?.conditions, "Ready")) return undefined;
  return spec?.cidrs?.join(",");
}

const path = "spec.cidrs";

function validateRanges(cidrs: readonly string[], faults: Faults): void {
  if (cidrs.length === 0) return faults.required(path, "at least one CIDR required");
  if (cidrs.length > 2) return faults.invalid(path, cidrs, "may only hold up to 2 values");
  cidrs.forEach((cidr, index) => faults.invalidEach(`${path}[${index}]`, cidr, checkCidr(cidr)));
  const [first, second] = cidrs.map(cidrFamily);
  if (cidrs.length === 2 && first !== undefined && first === second) {
    faults.invalid(
      path,
      cidrs,
      "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64",
    );
  }
}

/** A range of the other family may be added to a single range; other changes are rejected. */
function validateUpdate(after: ServiceCIDR, before: ServiceCIDR, faults: Faults): void {
  const [now, then] = [after.spec?.cidrs ?? [], before.spec?.cidrs ?? []];
  if (now.length !== then.length && (now.length !== 2 || then.length !== 1)) {
    return faults.invalid(path, now, "field is immutable");
  }
  then.forEach((cidr, index) => faults.immutable(`${path}[${index}]`, now[index], now[index] === cidr));
}
