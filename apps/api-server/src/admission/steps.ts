import type { Metrics } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import type { Store } from "@kintsugi/store";
import { isPluginOn } from "../admission-plugins.ts";
import type { Authorizer } from "../authorization/authorization.ts";
import type { ServiceAllocator } from "../resources/service-allocator.ts";
import type { Registry } from "../resources/registry.ts";
import type { ServerOptions } from "../server-options.ts";
import type { QuotaBook } from "../quota/quota-book.ts";
import type { AnyAdmissionStep } from "./admission.ts";
import { authorizationSteps } from "./authorization-steps.ts";
import { certificateRequestor, certificateSteps } from "./certificate-requests.ts";
import { defaultIngressClass } from "./defaults/default-ingress-class.ts";
import { disabledFieldsStep } from "./defaults/disabled-fields.ts";
import { defaultTolerations } from "./default-tolerations.ts";
import { defaultStorageClass } from "./default-storage-class.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { podPriority } from "./pod-priority.ts";
import { limitRanger } from "./limits/limit-ranger.ts";
import { podSecurity } from "./pod-security/pod-security.ts";
import { reservedKeysStep } from "./reserved-keys.ts";
import { resourceQuota } from "./limits/resource-quota.ts";
import { serviceAllocation } from "./limits/service-allocation.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccountDefault } from "./service-account-default.ts";
import { serviceAccountToken } from "./service-account-token.ts";
import { storageInUse } from "./storage-in-use.ts";
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts";
import { deviceAdminAccess } from "./plugins/device-admin-access.ts";
import { serviceAddresses } from "./plugins/service-addresses.ts";
import { trustBundleAttest } from "./plugins/trust-bundle-attest.ts";
import { claimResize } from "./plugins/claim-resize.ts";
import {
  alwaysPullImages,
  denyServiceExternalIps,
  extendedResourceToleration,
  limitPodHardAntiAffinityTopology,
} from "./plugins/optional-steps.ts";
import { createEquivalents } from "./matching/equivalents.ts";
import { mutatingPolicies } from "./policies/mutating-policies.ts";
import { validatingPolicies } from "./policies/validating-policies.ts";
import type { WebhookCaller } from "./webhooks/webhook-caller.ts";
import { WebhookDirectory } from "./webhooks/webhook-directory.ts";
import { mutatingWebhooks, validatingWebhooks } from "./webhooks/webhook-steps.ts";

export interface AdmissionDeps {
  authorizer: Authorizer;
  registry: Registry;
  store: Store;
  random: Random;
  clock: Clock;
  metrics: Metrics;
  quotas: QuotaBook;
  allocator: ServiceAllocator;
  /** True where the server issues tokens for pods. */
  hasTokens: boolean;
  webhookCaller: WebhookCaller;
}

/**
 * Every admission rule, in upstream's order. The transaction of each create checks that the
 * namespace exists and is active.
 */
export function admissionSteps(deps: AdmissionDeps, options: ServerOptions): readonly AnyAdmissionStep[] {
  const policies = { ...deps, equivalents: createEquivalents(deps.registry) };
  const webhooks = { ...deps, directory: new WebhookDirectory(deps), caller: deps.webhookCaller };
  const steps: readonly AnyAdmissionStep[] = [
    namespaceLifecycle,
    limitPodHardAntiAffinityTopology,
    limitRanger(deps),
    serviceAccountDefault,
    ...(deps.hasTokens ? [serviceAccountToken(deps)] : []),
    taintNodesByCondition,
    alwaysPullImages,
    podSecurity(deps, options.podSecurity),
    podPriority(deps),
    defaultTolerations(options),
    extendedResourceToleration,
    defaultStorageClass(deps),
    storageInUse,
    reservedKeysStep,
    ...authorizationSteps(deps, options),
    claimResize,
    runtimeClass,
    ...certificateSteps(deps.authorizer),
    trustBundleAttest(deps.authorizer),
    deviceAdminAccess,
    defaultIngressClass(deps),
    denyServiceExternalIps,
    mutatingPolicies(policies),
    mutatingWebhooks(webhooks),
    ...disabledFieldsStep(options.features),
    // Upstream sets the requestor after admission, so a webhook cannot change it.
    certificateRequestor,
    // A policy or a webhook may have written an address.
    serviceAddresses(deps, options),
    validatingPolicies(policies),
    validatingWebhooks(webhooks),
    resourceQuota(deps.quotas),
    serviceAllocation(deps.allocator),
  ];
  return steps.filter(({ name }) => isPluginOn(name, options.admissionPlugins));
}
