import type { KubeObject, Resource } from "../../resources/resource.ts";
import { perGeneration, type Registry } from "../../resources/registry.ts";
import type { AdmissionRequest, AdmissionTarget } from "../admission.ts";
import type { CompiledWebhook } from "./webhook-directory.ts";
import { isExempt, ruleMatches, selectorsMatch } from "./webhook-rules.ts";

/** One call of a webhook: the request as one of its rules knows it. */
export interface Invocation {
  readonly webhook: CompiledWebhook;
  /** The representation that the webhook receives; a webhook may know another version. */
  readonly resource: Resource;
}

export interface InvocationFinder {
  /** Reports whether any webhook may be called, before the object is known. */
  concerns(webhooks: readonly CompiledWebhook[], target: AdmissionTarget): boolean;
  /** Finds how a request is shown to a webhook; undefined when it is not. @throws ApiError */
  find(webhook: CompiledWebhook, request: AdmissionRequest): Invocation | undefined;
}

export function createInvocationFinder(registry: Registry): InvocationFinder {
  const byStoreName = perGeneration(registry, () => new Map<string, readonly Resource[]>());
  /** All representations of a stored resource: upstream's equivalents. */
  const equivalents = ({ storeName }: Resource): readonly Resource[] => {
    const known = byStoreName();
    let list = known.get(storeName);
    if (list === undefined) {
      known.set(storeName, (list = registry.resources.filter((each) => each.storeName === storeName)));
    }
    return list;
  };
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
      const all = equivalents(request.resource);
      const requested = all.find(({ type }) => type === request.requested) ?? request.resource;
      const candidates = webhook.webhook.matchPolicy === "Exact" ? [requested] : [requested, ...all];
      const resource = candidates.find((each) => matches(webhook, each, request));
      return resource !== undefined && selectorsMatch(webhook, request) ? { webhook, resource } : undefined;
    },
  };
}

/** Only the object itself has versions; the bodies of other subresources have one form each. */
const versioned = new Set(["", "status", "scale"]);

/** Shows a stored object as the webhook knows it. */
export function shownAs(resource: Resource, object: KubeObject | undefined, subresource: string) {
  if (object === undefined || resource.view === undefined || !versioned.has(subresource)) return object;
  return resource.view.fromStored(object);
}

/** Turns what a webhook left into the stored representation. */
export function storedFrom(resource: Resource, object: KubeObject, subresource: string): KubeObject {
  return resource.view === undefined || !versioned.has(subresource) ? object : resource.view.toStored(object);
}
