import { type ApiError, internalError, type JsonObject, sameJson } from "@kintsugi/api";
import type { Authorizer } from "../../authorization/authorization.ts";
import { applyJsonPatch } from "../../patch/index.ts";
import type { KubeObject } from "../../resources/resource.ts";
import type { Registry } from "../../resources/registry.ts";
import type { AdmissionRequest, AsyncAdmissionStep, MutationPass } from "../admission.ts";
import { ReinvocationState } from "../chain/reinvocation-state.ts";
import { shownAs, storedFrom } from "../matching/shown-object.ts";
import { createInvocationFinder, type Invocation } from "./find-invocation.ts";
import { annotateFailedOpen, annotateMutation, type CallPlace } from "./webhook-annotations.ts";
import type { WebhookCaller } from "./webhook-caller.ts";
import type { WebhookDirectory } from "./webhook-directory.ts";

interface WebhookStepDeps {
  directory: WebhookDirectory;
  registry: Registry;
  authorizer: Authorizer;
  caller: WebhookCaller;
}

const everyOperation = ["create", "update", "delete", "connect"] as const;

/**
 * All webhooks of a request together take no longer than upstream's request timeout. Most requests
 * end earlier by their own time.
 */
const stepTimeoutMs = 60_000;

/** Upstream's MutatingAdmissionWebhook: one webhook after the other. */
export function mutatingWebhooks(deps: WebhookStepDeps): AsyncAdmissionStep {
  const { directory, caller } = deps;
  const finder = createInvocationFinder(deps);
  const states = new WeakMap<MutationPass["reinvocation"], ReinvocationState>();
  return {
    name: "MutatingAdmissionWebhook",
    handles: { operations: everyOperation },
    timeoutMs: stepTimeoutMs,
    concerns: (target) => finder.concerns(directory.list("mutating"), target),
    preparation: directory.preparation("mutating"),
    mutateAsync: async (given, signal, pass) => {
      const { reinvocation } = pass;
      let state = states.get(reinvocation);
      if (state === undefined) states.set(reinvocation, (state = new ReinvocationState()));
      if (reinvocation.isSecond && !sameJson(given.object, state.output)) state.requireReinvocation();
      let request = given;
      for (const [index, webhook] of directory.list("mutating").entries()) {
        const invocation = finder.find(webhook, request);
        if (invocation === undefined || (reinvocation.isSecond && !state.takes(webhook.id))) continue;
        const place: CallPlace = { round: reinvocation.isSecond ? 1 : 0, index };
        const called = await caller.call(invocation, request, { mutating: true, signal });
        const { verdict, failure, refusal } = called;
        if (called.failedOpen) annotateFailedOpen(request.trail, webhook, { place, type: "mutation" });
        const patch = verdict?.patch;
        if (patch === undefined) annotateMutation(request.trail, webhook, { place, mutated: false });
        if (refusal !== undefined) throw refusal;
        if (failure !== undefined) throw internalError(failure);
        if (patch !== undefined) {
          const adopted = pass.adopt(patched(invocation, request, patch));
          const mutated = !sameJson(adopted, request.object);
          if (mutated) {
            state.requireReinvocation();
            reinvocation.isWanted = true;
          }
          annotateMutation(request.trail, webhook, { place, patch, mutated });
          request = { ...request, object: adopted };
        }
        if (webhook.isReinvoked) state.addInvoked(webhook.id);
      }
      state.output = structuredClone(request.object);
      return request.object;
    },
  };
}

/** @throws ApiError when the patch does not fit, or there is nothing to patch. */
function patched({ webhook, resource }: Invocation, request: AdmissionRequest, patch: unknown): KubeObject {
  const { object, subresource } = request;
  const name = JSON.stringify(webhook.webhook.name);
  if (object === undefined) {
    const because = `admission webhook ${name} attempted to modify the object`;
    throw internalError(`${because}, which is not supported for this operation`);
  }
  const shown = shownAs(resource, object, subresource) as unknown as JsonObject;
  let changed: KubeObject;
  try {
    changed = applyJsonPatch(shown, patch) as unknown as KubeObject;
  } catch (error) {
    throw internalError(patchFault(error), error);
  }
  // The object that the webhook produced is rejected as if the client had sent it.
  return storedFrom(resource, changed, { object, subresource });
}

/**
 * The cause names the operation that could not be applied, which the message about a client's own
 * patch does not name.
 */
function patchFault(error: unknown): string {
  const { message, details } = error as ApiError;
  return details?.causes?.[0]?.message ?? message;
}

/** Upstream's ValidatingAdmissionWebhook: all webhooks at the same time. */
export function validatingWebhooks(deps: WebhookStepDeps): AsyncAdmissionStep {
  const { directory, caller } = deps;
  const finder = createInvocationFinder(deps);
  return {
    name: "ValidatingAdmissionWebhook",
    handles: { operations: everyOperation },
    timeoutMs: stepTimeoutMs,
    concerns: (target) => finder.concerns(directory.list("validating"), target),
    preparation: directory.preparation("validating"),
    validateAsync: async (request, signal) => {
      const invocations = directory.list("validating").flatMap((webhook) => finder.find(webhook, request) ?? []);
      const results = await Promise.all(
        invocations.map((invocation) => caller.call(invocation, request, { mutating: false, signal })),
      );
      for (const [index, { refusal, failure, failedOpen }] of results.entries()) {
        const webhook = invocations[index]?.webhook;
        if (failedOpen && webhook !== undefined) {
          annotateFailedOpen(request.trail, webhook, { place: { round: 0, index }, type: "validating" });
        }
        if (refusal !== undefined) return refusal;
        if (failure !== undefined) return internalError(failure);
      }
      return undefined;
    },
  };
}
