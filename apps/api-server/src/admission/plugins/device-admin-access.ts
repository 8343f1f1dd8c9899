import {
  type ApiError,
  collectFaults,
  deviceAdminLabel,
  invalid,
  type Namespace,
  namespaces,
  type ResourceClaim,
  resourceClaims,
  type ResourceClaimTemplate,
  resourceClaimTemplates,
} from "@kintsugi/api";
import { decodeEntry } from "../../resources/encoding.ts";
import { storeKey } from "../../resources/keys.ts";
import type { AdmissionRequest, AdmissionStep } from "../admission.ts";

/**
 * Admin access to devices can be requested only in namespaces that have a label for it, because
 * such a claim can read how others use the device (AuthorizedForAdmin of pkg/registry/resource).
 */
export const deviceAdminAccess: AdmissionStep = {
  name: "DeviceAdminAccess",
  handles: { operations: ["create", "update"], resources: [resourceClaims, resourceClaimTemplates] },
  validate: (request) => {
    const fields = adminFields(request);
    if (fields.length === 0 || isAdminNamespace(request)) return undefined;
    return refusal(request, fields);
  },
};

const detail = `admin access to devices requires the \`${deviceAdminLabel}: true\` label on the containing namespace`;

function refusal({ resource, name }: AdmissionRequest, fields: readonly string[]): ApiError {
  return invalid(
    resource.type,
    name,
    collectFaults((faults) => {
      for (const field of fields) faults.forbidden(field, detail);
    }),
  );
}

/**
 * The fields of admin access that this request sets to true. A spec never changes, and an
 * allocation is set only once.
 */
function adminFields({ object, before, resource, subresource }: AdmissionRequest): string[] {
  if (object === undefined) return [];
  const isTemplate = resource.type.kind === resourceClaimTemplates.kind;
  if (before === undefined) {
    const spec = isTemplate ? (object as ResourceClaimTemplate).spec.spec : (object as ResourceClaim).spec;
    const path = isTemplate ? "spec.spec" : "spec";
    return (spec.devices?.requests ?? []).flatMap(({ exactly }, index) =>
      exactly?.adminAccess === true ? [`${path}.devices.requests[${index}].adminAccess`] : [],
    );
  }
  if (isTemplate || subresource !== "status") return [];
  const [now, then] = [object, before].map((claim) => (claim as ResourceClaim).status?.allocation?.devices?.results);
  if (then !== undefined) return [];
  return (now ?? []).flatMap(({ adminAccess }, index) =>
    adminAccess === true ? [`status.allocation.devices.results[${index}].adminAccess`] : [],
  );
}

function isAdminNamespace({ reader, namespace }: AdmissionRequest): boolean {
  const entry = reader.find(storeKey(namespaces, "", namespace));
  const found = entry && (decodeEntry(entry) as unknown as Namespace);
  return found?.metadata.labels?.[deviceAdminLabel] === "true";
}
