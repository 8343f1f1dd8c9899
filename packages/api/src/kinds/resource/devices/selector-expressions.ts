import type { ValidationIssue } from "../../../validation/faults.ts";
import type { CheckedExpression } from "../../expression-set.ts";
import type { PrepareContext } from "../../kind-strategy.ts";
import type { DeviceSelector, ResourceClaimSpec } from "./requested-devices.ts";

/** Faults of the CEL expressions that select devices. */
export function checkSelectors(
  expressions: readonly CheckedExpression[],
  context: PrepareContext,
): readonly ValidationIssue[] {
  if (expressions.length === 0) return [];
  return context.checkExpressions({ about: "device", params: false, patches: false, variables: [], expressions });
}

export function selectorExpressions(selectors: readonly DeviceSelector[] = [], path: string): CheckedExpression[] {
  return selectors.flatMap(({ cel }, index) =>
    cel === undefined
      ? []
      : [
          {
            field: `${path}[${index}].cel.expression`,
            text: cel.expression,
            returns: ["bool", "dyn"] as const,
            authorizer: false,
            variables: false,
          },
        ],
  );
}

export function claimExpressions({ devices = {} }: ResourceClaimSpec, path: string): CheckedExpression[] {
  return (devices.requests ?? []).flatMap(({ exactly, firstAvailable = [] }, index) => {
    const at = `${path}.devices.requests[${index}]`;
    return [
      ...selectorExpressions(exactly?.selectors, `${at}.exactly.selectors`),
      ...firstAvailable.flatMap(({ selectors }, place) =>
        selectorExpressions(selectors, `${at}.firstAvailable[${place}].selectors`),
      ),
    ];
  });
}
