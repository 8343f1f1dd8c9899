import { ServiceAccount, serviceAccounts } from "@kintsugi/api";
import { defineResource } from "../resource.ts";

export const serviceAccountResource = defineResource<ServiceAccount>({
  type: serviceAccounts,
  schema: ServiceAccount,
  subresources: ["token"],
  rules: { returnsDeleted: true },
});
