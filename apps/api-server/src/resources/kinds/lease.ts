import { Lease, leases } from "@kintsugi/api";
import { defineResource } from "../resource.ts";

export const leaseResource = defineResource<Lease>({
  type: leases,
  schema: Lease,
  rules: { conditionalUpdateOnly: true, createOnUpdate: true },
});
