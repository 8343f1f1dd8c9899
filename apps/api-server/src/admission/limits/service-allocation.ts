import { ipAddresses, ipAllocatorName, managedByLabel, type Service, services } from "@kintsugi/api";
import type { ServiceAllocator } from "../../resources/service-allocator.ts";
import type { AdmissionStep } from "../admission.ts";

/**
 * Two Services never get the same address or node port, even if different servers wrote them at the
 * same time, and a Service never gets an address that a client has reserved by an IPAddress.
 * Upstream's allocators store separate objects for that (pkg/registry/core/service/allocator); here
 * the Services themselves are compared where the write is decided.
 */
export function serviceAllocation(allocator: Pick<ServiceAllocator, "judge" | "judgeAddress">): AdmissionStep {
  return {
    name: "ServiceAllocation",
    handles: { operations: ["create", "update"], resources: [services, ipAddresses], subresources: [""] },
    atCommit: {
      concerns: ({ resource, operation }) => resource.type.kind === services.kind || operation === "create",
      judge: ({ object, resource, name }, reader) => {
        if (object === undefined) return undefined;
        if (resource.type.kind === services.kind) return allocator.judge(object as Service, reader);
        // An address that claims to belong to a Service is removed again where no Service has it.
        if (object.metadata.labels?.[managedByLabel] === ipAllocatorName) return undefined;
        return allocator.judgeAddress(name, reader);
      },
    },
  };
}
