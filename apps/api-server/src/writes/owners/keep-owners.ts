import type { ManagedFieldsEntry } from "@kintsugi/api";
import type { AdmissionRequest } from "../../admission/admission.ts";
import { faultOfEntries } from "../../fields/managed-entries.ts";

/**
 * Admission steps may also change the owners of fields. Invalid owners are restored, with
 * upstream's warning.
 */
export function keepOwners(request: AdmissionRequest, owners: ManagedFieldsEntry[] | undefined): void {
  const metadata = request.object?.metadata;
  if (metadata === undefined || metadata.managedFields === owners) return;
  const fault = faultOfEntries(metadata.managedFields ?? []);
  if (fault === undefined) return;
  if (owners === undefined) delete metadata.managedFields;
  else metadata.managedFields = owners;
  request.warnings.push(
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${fault}`,
  );
}
