import type { ResourceQuotaSpec } from "@kintsugi/api";
import type { QuotaUsage } from "./quota-usage.ts";

/** Reports whether an object with these traits counts toward the quota. */
export function isInScope(
  { scopes = [], scopeSelector }: ResourceQuotaSpec,
  usage: Pick<QuotaUsage, "scopes">,
): boolean {
  return (
    scopes.every((scope) => usage.scopes.has(scope)) &&
    (scopeSelector?.matchExpressions ?? []).every(({ scopeName, operator, values = [] }) => {
      const own = usage.scopes.get(scopeName);
      switch (operator) {
        case "Exists":
          return own !== undefined;
        case "DoesNotExist":
          return takesValues.has(scopeName) && own === undefined;
        case "In":
          return own?.some((value) => values.includes(value)) ?? false;
        case "NotIn":
          return takesValues.has(scopeName) && (own === undefined || own.some((value) => !values.includes(value)));
        default:
          return false;
      }
    })
  );
}

/** Only these scopes have values, so only these can be compared with values. */
const takesValues = new Set(["PriorityClass", "VolumeAttributesClass"]);
