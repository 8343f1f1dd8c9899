import {
  type FlowSchema,
  flowSchemas,
  priorityLevelConfigurations,
  type ValidatingAdmissionPolicy,
  validatingAdmissionPolicies,
} from "@kintsugi/api";
import { turnOrAbort } from "@kintsugi/clock";
import {
  checkPolicyTypes,
  type ExpressionWarning,
  type KindFinder,
  type TypedKind,
} from "../admission/type-checking/check-policy-types.ts";
import { planDangling } from "../flow-control/plan-dangling.ts";
import { storeKey } from "../resources/keys.ts";
import type { Resource } from "../resources/resource.ts";
import { hasFlowObjects } from "../server-options.ts";
import type { ServerContext } from "../server-context.ts";
import type { ServerStatus } from "./status-loop.ts";

/** The statuses that this server writes. */
export function serverStatuses(context: ServerContext): readonly ServerStatus[] {
  return [policyStatus(context), ...(hasFlowObjects(context.options) ? [schemaStatus(context)] : [])];
}

/** Each generation of a policy is checked once, with the kinds that exist at that moment. */
function policyStatus({ registry, clock }: ServerContext): ServerStatus {
  const kinds: KindFinder = {
    byResource: (group, version, resource) => typedKind(registry.find(group, version, resource)),
    byKind: (apiVersion, kind) => typedKind(registry.findByKind(apiVersion, kind)),
  };
  return {
    type: validatingAdmissionPolicies,
    follows: [],
    plan: async (object, signal) => {
      const policy = object as ValidatingAdmissionPolicy;
      const { generation = 0 } = policy.metadata;
      if (generation <= (policy.status?.observedGeneration ?? 0)) return undefined;
      const warnings: ExpressionWarning[] = [];
      for (const warning of checkPolicyTypes(policy, kinds)) {
        if (warning !== undefined) warnings.push(warning);
        // Yields to requests after each expression, however many expressions a policy has.
        await turnOrAbort(clock, signal);
        if (signal.aborted) return undefined;
      }
      const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
      return { ...policy.status, observedGeneration: generation, typeChecking };
    },
  };
}

function schemaStatus({ store, clock }: ServerContext): ServerStatus {
  return {
    type: flowSchemas,
    follows: [priorityLevelConfigurations],
    plan: async (object) =>
      planDangling(object as FlowSchema, {
        hasLevel: (name) => store.find(storeKey(priorityLevelConfigurations, "", name)) !== undefined,
        nowMs: clock.nowMs(),
      }),
  };
}

function typedKind(resource: Resource | undefined): TypedKind | undefined {
  if (resource === undefined) return undefined;
  const { group, version, kind } = resource.type;
  return { group, version, kind, description: resource.kind.description };
}
