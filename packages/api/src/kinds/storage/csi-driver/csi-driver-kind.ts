import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import type { Column } from "../../../table/columns.ts";
import { sameJson } from "../../../values/json.ts";
import type { Faults } from "../../../validation/faults.ts";
import { defineKind } from "../../define-kind.ts";
import { csiDrivers } from "./csi-driver-type.ts";
import { CSIDriver, type CSITokenRequest } from "./csi-driver.ts";

export const csiDriverKind = defineKind<CSIDriver>({
  type: csiDrivers,
  schema: CSIDriver,
  defaults: ({ spec }) => {
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
    if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ["Persistent"];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
  },
  validation: { validate: validateCsiDriver, update: validateUpdate },
  strategy: { returnsDeleted: true },
  table: {
    columns: [
      nameColumn,
      booleanColumn("AttachRequired", "True if volumes are attached before they are mounted."),
      booleanColumn("PodInfoOnMount", "True if the pod's name and UID are passed to the driver."),
      booleanColumn("StorageCapacity", "True if the scheduler considers the driver's capacity."),
      column("TokenRequests", "Audiences of the tokens that are passed to the driver."),
      booleanColumn("RequiresRepublish", "True if volumes are republished periodically."),
      column("Modes", "Volume modes that the driver supports."),
      ageColumn,
    ],
    cells: (driver, nowMs) => [
      driver.metadata.name ?? "",
      driver.spec.attachRequired ?? true,
      driver.spec.podInfoOnMount ?? false,
      driver.spec.storageCapacity ?? false,
      driver.spec.tokenRequests?.map(({ audience }) => audience).join(",") ?? "<unset>",
      driver.spec.requiresRepublish ?? false,
      driver.spec.volumeLifecycleModes?.join(",") ?? "<none>",
      formatAge(driver, nowMs),
    ],
  },
});

function booleanColumn(name: string, description: string): Column {
  return { ...column(name, description), type: "boolean" };
}

const groupPolicies = ["File", "None", "ReadWriteOnceWithFSType"];
const lifecycleModes = ["Persistent", "Ephemeral"];
const updatePeriodSecondsMin = 10;

function validateCsiDriver({ spec }: CSIDriver, faults: Faults): void {
  for (const name of ["attachRequired", "podInfoOnMount", "storageCapacity", "seLinuxMount"] as const) {
    // Upstream misspells this one field.
    if (spec[name] === undefined) faults.required(`spec.${name === "attachRequired" ? "attachedRequired" : name}`);
  }
  const { fsGroupPolicy: policy, tokenRequests = [], volumeLifecycleModes = [] } = spec;
  if (policy !== undefined && !groupPolicies.includes(policy)) {
    faults.notSupported("spec.fsGroupPolicy", policy, groupPolicies);
  }
  validateTokenRequests(tokenRequests, faults);
  for (const mode of volumeLifecycleModes) {
    if (!lifecycleModes.includes(mode)) faults.notSupported("spec.volumeLifecycleModes", mode, lifecycleModes);
  }
  const { nodeAllocatableUpdatePeriodSeconds: period } = spec;
  if (period !== undefined && period < updatePeriodSecondsMin) {
    const rule = "must be greater than or equal to 10 seconds";
    faults.invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, rule);
  }
  if (spec.serviceAccountTokenInSecrets !== undefined && tokenRequests.length === 0) {
    const rule = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
    faults.invalid("spec.serviceAccountTokenInSecrets", spec.serviceAccountTokenInSecrets, rule);
  }
}

const tokenSecondsMin = 600;
const tokenSecondsMax = 2 ** 32;

function validateTokenRequests(requests: readonly CSITokenRequest[], faults: Faults): void {
  const audiences = new Set<string>();
  for (const [index, { audience, expirationSeconds: seconds }] of requests.entries()) {
    const path = `spec.tokenRequests[${index}]`;
    if (audiences.has(audience)) {
      faults.duplicate(`${path}.audience`, audience);
      continue;
    }
    audiences.add(audience);
    if (seconds === undefined) continue;
    if (seconds < tokenSecondsMin) {
      faults.invalid(`${path}.expirationSeconds`, seconds, "may not specify a duration less than 10 minutes");
    }
    if (seconds > tokenSecondsMax) {
      faults.invalid(`${path}.expirationSeconds`, seconds, "may not specify a duration larger than 2^32 seconds");
    }
  }
}

function validateUpdate(after: CSIDriver, before: CSIDriver, faults: Faults): void {
  const { attachRequired, volumeLifecycleModes: modes } = after.spec;
  faults.immutable("spec.attachedRequired", attachRequired, attachRequired === before.spec.attachRequired);
  faults.immutable("spec.volumeLifecycleModes", modes, sameJson(modes, before.spec.volumeLifecycleModes));
}
