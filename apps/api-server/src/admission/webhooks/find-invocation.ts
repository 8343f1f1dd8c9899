import { forbidden } from "@kintsugi/api";
import type { Authorizer } from "../../authorization/authorization.ts";
import type { Resource } from "../../resources/resource.ts";
import type { Registry } from "../../resources/registry.ts";
import type { AdmissionRequest, AdmissionTarget } from "../admission.ts";
import { matchesConditions } from "../expressions/match-conditions.ts";
import { RequestValues, worldOf } from "../expressions/request-values.ts";
import { candidatesOf, createEquivalents } from "../matching/equivalents.ts";
import { isExempt, ruleMatches, selectorsMatch } from "../matching/rules.ts";
import type { CompiledWebhook } from "./webhook-directory.ts";

/** One call of a webhook: the request in the representation that one of its rules matches. */
export interface Invocation {
  readonly webhook: CompiledWebhook;
  /** The representation that the webhook receives, which may be another version. */
  readonly resource: Resource;
}

export interface InvocationFinder {
  /** Reports whether any webhook may be called, before the object is known. */
  concerns(webhooks: readonly CompiledWebhook[], target: AdmissionTarget): boolean;
  /**
   * Finds the representation in which a request is sent to a webhook; undefined when the request is
   * not sent.
   * @throws ApiError Forbidden when a condition of the webhook cannot be evaluated.
   */
  find(webhook: CompiledWebhook, request: AdmissionRequest): Invocation | undefined;
}

export function createInvocationFinder(deps: { registry: Registry; authorizer: Authorizer }): InvocationFinder {
  const { registry, authorizer } = deps;
  const equivalents = createEquivalents(registry);
  const matches = ({ webhook }: CompiledWebhook, { type }: Resource, target: AdmissionTarget) =>
    (webhook.rules ?? []).some((rule) =>
      ruleMatches(rule, { operation: target.operation, type, subresource: target.subresource }),
    );
  return {
    concerns: (webhooks, target) =>
      webhooks.length > 0 &&
      !isExempt(target.resource.type) &&
      webhooks.some((webhook) => equivalents(target.resource).some((resource) => matches(webhook, resource, target))),
    find: (webhook, request) => {
      if (isExempt(request.resource.type)) return undefined;
      const candidates = candidatesOf(request, webhook.webhook.matchPolicy, equivalents);
      const resource = candidates.find((each) => matches(webhook, each, request));
      if (resource === undefined || !selectorsMatch(webhook, request)) return undefined;
      return fulfilsConditions(webhook, { request, resource, authorizer }) ? { webhook, resource } : undefined;
    },
  };
}

/** @throws ApiError Forbidden when a condition fails and the webhook fails closed. */
function fulfilsConditions(
  { conditions, webhook }: CompiledWebhook,
  { request, resource, authorizer }: { request: AdmissionRequest; resource: Resource; authorizer: Authorizer },
): boolean {
  if (conditions.length === 0) return true;
  const values = new RequestValues(request, resource);
  const result = matchesConditions(
    conditions,
    { variables: values, world: worldOf(authorizer, request) },
    webhook.failurePolicy,
  );
  if ("error" in result) throw forbidden(request.requested, request.name, result.error);
  return result.matches;
}
