import { type PersistentVolumeClaim, sameJson } from "@kintsugi/api";
import type { AdmissionAttributes } from "../admission-attributes.ts";

/**
 * Returns the reason why a node may not write the claim. A node may only report that a volume has
 * grown (upstream's admitPVCStatus).
 */
export function faultOfClaimStatus(nodeName: string, attributes: AdmissionAttributes): string | undefined {
  const { subresource, operation, object, before } = attributes;
  if (subresource !== "status") return `unexpected pvc subresource ${JSON.stringify(subresource)}`;
  if (operation !== "update") return `unexpected operation ${JSON.stringify(operation.toUpperCase())}`;
  const [claim, earlier] = [object, before].map((one) => fixedPart(one as unknown as PersistentVolumeClaim));
  if (sameJson(claim, earlier)) return undefined;
  return `node ${JSON.stringify(nodeName)} is not allowed to update fields other than status.quantity and status.conditions`;
}

/** The server itself changes the revision and the managed fields with every write. */
function fixedPart({ metadata, status, ...rest }: PersistentVolumeClaim): object {
  const { resourceVersion: _revision, managedFields: _managed, ...identity } = metadata;
  const {
    capacity: _capacity,
    conditions: _conditions,
    allocatedResources: _allocated,
    allocatedResourceStatuses: _statuses,
    ...fixed
  } = status ?? {};
  return { ...rest, metadata: identity, status: fixed };
}
