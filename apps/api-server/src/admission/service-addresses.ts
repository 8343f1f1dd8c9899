import { type Service, services } from "@kintsugi/api";
import type { ServiceAllocator } from "../resources/cluster-ip.ts";
import type { AdmissionStep } from "./admission.ts";

/** Every Service has an address of its own. In upstream this is part of its storage; here it is one more thing filled in. */
export function serviceAddresses(allocator: ServiceAllocator): AdmissionStep {
  return {
    name: "ServiceAddresses",
    mutate: ({ operation, resource, subresource, object, before }) => {
      if (resource.type.resource !== services.resource || subresource !== "" || object === undefined) return;
      if (operation === "create" || operation === "update")
        allocator.allocate(object as Service, before as Service | undefined);
    },
  };
}
