import { type Service, services } from "@kintsugi/api";
import type { ServiceAllocator } from "../resources/cluster-ip.ts";
import type { AdmissionStep } from "./admission.ts";

/** Every Service has an address of its own. In upstream this is part of its storage; here it is one more thing filled in. */
export function serviceAddresses(allocator: ServiceAllocator): AdmissionStep {
  return {
    name: "ServiceAddresses",
    mutate: ({ operation, resource, subresource, object, before }) => {
      if (resource.type.resource !== services.resource || subresource !== "" || object === undefined) return;
      const service = object as Service;
      if (operation === "create" || (operation === "update" && needsMore(service, before as Service | undefined))) {
        allocator.allocate(service);
      }
    },
  };
}

/** An update that turns a Service into one with an address, or with node ports. */
function needsMore({ spec }: Service, before: Service | undefined): boolean {
  if (spec === undefined || spec.type === "ExternalName" || spec.clusterIP === "None") return false;
  if ((spec.clusterIP ?? "") === "") return true;
  return spec.type !== before?.spec?.type && spec.clusterIP !== before?.spec?.clusterIP;
}
