import { type Service, services } from "@kintsugi/api";
import type { ServiceAllocator } from "../../resources/cluster-ip.ts";
import type { AdmissionStep } from "../admission.ts";

/**
 * No two Services get the same address or node port, whichever servers wrote them at the same time.
 * Upstream's allocators keep objects of their own for that (pkg/registry/core/service/allocator);
 * here the Services themselves are compared where the write is decided.
 */
export function serviceAllocation(allocator: Pick<ServiceAllocator, "judge">): AdmissionStep {
  return {
    name: "ServiceAllocation",
    handles: { operations: ["create", "update"], resources: [services], subresources: [""] },
    atCommit: {
      concerns: () => true,
      judge: ({ object }, reader) => (object === undefined ? undefined : allocator.judge(object as Service, reader)),
    },
  };
}
