import type { ResourceType } from "../../../meta/resource-type.ts";
import type { MutatingWebhookConfiguration } from "./mutating-webhook-configuration.ts";

export const mutatingWebhookConfigurations: ResourceType<MutatingWebhookConfiguration> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  resource: "mutatingwebhookconfigurations",
  singular: "mutatingwebhookconfiguration",
  kind: "MutatingWebhookConfiguration",
  namespaced: false,
  shortNames: [],
  categories: ["api-extensions"],
};
