import type { ResourceType } from "../../../meta/resource-type.ts";
import type { ValidatingWebhookConfiguration } from "./validating-webhook-configuration.ts";

export const validatingWebhookConfigurations: ResourceType<ValidatingWebhookConfiguration> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  resource: "validatingwebhookconfigurations",
  singular: "validatingwebhookconfiguration",
  kind: "ValidatingWebhookConfiguration",
  namespaced: false,
  shortNames: [],
  categories: ["api-extensions"],
};
