import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { sameJson } from "../../../values/json.ts";
import { defineKind, type KindDefinition } from "../../define-kind.ts";
import type { ResourceClaimStatus } from "../devices/allocated-devices.ts";
import { setClaimDefaults } from "../devices/claim-defaults.ts";
import { requestNamesOf, validateClaimSpec } from "../devices/claim-spec-validation.ts";
import { validateAllocationStatus } from "../devices/claim-status-validation.ts";
import { inV1beta2 } from "../devices/resource-versions.ts";
import { checkSelectors, claimExpressions } from "../devices/selector-expressions.ts";
import { resourceClaims } from "./resource-claim-type.ts";
import { ResourceClaim, ResourceClaimV1beta2 } from "./resource-claim.ts";

const common: Omit<KindDefinition<ResourceClaim>, "type" | "schema" | "view"> = {
  defaults: ({ spec }) => setClaimDefaults(spec),
  validation: {
    validate: ({ spec }, faults) => validateClaimSpec(spec, "spec", faults),
    update: (after, before, faults) => faults.immutable("spec", after.spec, sameJson(after.spec, before.spec)),
    status: ({ metadata, spec, status = {} }, faults, before) => {
      const isDeleted = metadata.deletionTimestamp !== undefined;
      const names = requestNamesOf(spec.devices ?? {});
      validateAllocationStatus({ after: status, before: before.status ?? {}, names, isDeleted }, faults);
    },
  },
  strategy: {
    status: true,
    hasExpressions: true,
    validateNew: ({ spec }, context) => checkSelectors(claimExpressions(spec, "spec"), context),
    prepareForUpdate: ({ status }, before, { subresource }) => {
      if (subresource === "status" && status !== undefined) dropReportsOfDeallocated(status, before.status ?? {});
    },
  },
  subresources: ["status"],
  table: {
    columns: [nameColumn, column("State", "Allocation of the claim: pending, allocated or reserved."), ageColumn],
    cells: (claim, nowMs) => [claim.metadata.name ?? "", stateOf(claim), formatAge(claim, nowMs)],
  },
};

export const resourceClaimKind = defineKind<ResourceClaim>({ ...common, type: resourceClaims, schema: ResourceClaim });

/** The same objects for clients of 1.33 to 1.35. */
export const resourceClaimV1beta2Kind = defineKind<ResourceClaim>({
  ...common,
  ...inV1beta2(resourceClaims),
  schema: ResourceClaimV1beta2,
});

/** Upstream's words, joined by commas. */
function stateOf({ metadata, status = {} }: ResourceClaim): string {
  const states = [
    ...(metadata.deletionTimestamp === undefined ? [] : ["deleted"]),
    ...(status.allocation === undefined ? ["pending"] : ["allocated"]),
    ...((status.reservedFor ?? []).length === 0 ? [] : ["reserved"]),
  ];
  return states.join(",");
}

/** A driver's report is removed with the allocation of its device. */
function dropReportsOfDeallocated(status: ResourceClaimStatus, before: ResourceClaimStatus): void {
  const placesOf = ({ allocation }: ResourceClaimStatus) =>
    new Set((allocation?.devices?.results ?? []).map(({ driver, pool, device }) => `${driver}/${pool}/${device}`));
  const [now, then] = [placesOf(status), placesOf(before)];
  const kept = status.devices?.filter(({ driver, pool, device }) => {
    const place = `${driver}/${pool}/${device}`;
    return now.has(place) || !then.has(place);
  });
  if (kept === undefined || kept.length === 0) delete status.devices;
  else status.devices = kept;
}
