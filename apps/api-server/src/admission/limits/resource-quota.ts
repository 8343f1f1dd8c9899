import { forbidden, persistentVolumeClaims, pods, services } from "@kintsugi/api";
import { checkQuotas, isCountedKind } from "@kintsugi/rules";
import type { QuotaBook } from "../../quota/quota-book.ts";
import type { AdmissionRequest, AdmissionStep } from "../admission.ts";

/**
 * No write takes more than its namespace's quotas allow (plugin ResourceQuota of k8s.io/apiserver).
 * It is judged where it is decided: writes at the same time cannot pass on the same last place.
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

/** Each kind has the operations that can raise its use (Handles of upstream's evaluators). */
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
