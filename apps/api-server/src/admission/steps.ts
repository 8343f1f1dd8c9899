import type { Authorizer } from "../authorization/authorization.ts";
import type { Registry } from "../resources/registry.ts";
import type { ServerOptions } from "../server-options.ts";
import type { AdmissionStep } from "./admission.ts";
import { authorizationSteps } from "./authorization-steps.ts";
import { defaultTolerations } from "./default-tolerations.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { podPriority } from "./pod-priority.ts";
import { serviceAccountDefault } from "./service-account-default.ts";
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts";

export interface AdmissionDeps {
  authorizer: Authorizer;
  registry: Registry;
}

/** Every rule of admission, in upstream's order. That a namespace is there and active is part of each create's own transaction. */
export function admissionSteps(deps: AdmissionDeps, options: ServerOptions): readonly AdmissionStep[] {
  return [
    namespaceLifecycle,
    serviceAccountDefault,
    taintNodesByCondition,
    podPriority,
    defaultTolerations(options),
    ...authorizationSteps(deps),
  ];
}
