import type { ResourceType } from "../../../meta/resource-type.ts";
import type { ServiceAccount } from "./service-account.ts";

export const serviceAccounts: ResourceType<ServiceAccount> = {
  group: "",
  version: "v1",
  resource: "serviceaccounts",
  singular: "serviceaccount",
  kind: "ServiceAccount",
  namespaced: true,
  shortNames: ["sa"],
  categories: [],
};
