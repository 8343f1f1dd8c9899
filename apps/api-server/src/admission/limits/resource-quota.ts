import { forbidden, persistentVolumeClaims, pods, services } from "@kintsugi/api";
import { checkQuotas, isCountedKind } from "@kintsugi/rules";
import type { QuotaBook } from "../../quota/quota-book.ts";
import type { AdmissionRequest, AdmissionStep } from "../admission.ts";

/**
 * Rejects writes that exceed the quotas of their namespace (plugin ResourceQuota of
 * k8s.io/apiserver). It runs where the write is decided, so concurrent writes cannot both use the
 * last unit of a quota.
 */
export function resourceQuota(book: QuotaBook): AdmissionStep {
  return {
    name: "ResourceQuota",
    handles: { operations: ["create", "update"], subresources: ["", "status", "resize"] },
    atCommit: {
      concerns: (request, reader) =>
        request.namespace !== "" && book.has(request.namespace, reader) && usesQuota(request),
      judge: ({ resource, namespace, name, object, before }) => {
        if (object === undefined) return undefined;
        const { type } = resource;
        const because = checkQuotas({ type, object, before }, book.quotasFor(type, namespace));
        return because === undefined ? undefined : forbidden(type, name, because);
      },
    },
  };
}

/** Each kind lists the operations that can raise its usage (Handles of upstream's evaluators). */
function usesQuota({ operation, resource, subresource }: AdmissionRequest): boolean {
  const { type } = resource;
  if (!isCountedKind(type)) return false;
  if (operation === "create") return subresource === "";
  if (type.group !== "") return false;
  switch (type.resource) {
    case pods.resource:
      return subresource === "resize";
    case services.resource:
    case persistentVolumeClaims.resource:
      return subresource === "";
    default:
      return false;
  }
}
