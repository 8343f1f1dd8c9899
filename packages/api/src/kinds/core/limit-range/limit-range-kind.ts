import { defineKind } from "../../define-kind.ts";
import { limitRanges } from "./limit-range-type.ts";
import { validateLimitRange } from "./limit-range-validation.ts";
import { LimitRange, type LimitRangeItem } from "./limit-range.ts";

export const limitRangeKind = defineKind<LimitRange>({
  type: limitRanges,
  schema: LimitRange,
  defaults: ({ spec }) => {
    for (const item of spec?.limits ?? []) if (item.type === "Container") setItemDefaults(item);
  },
  validation: { validate: validateLimitRange },
});

/** A bound without a default also sets the default (SetDefaults_LimitRangeItem). */
function setItemDefaults(item: LimitRangeItem): void {
  const limits = { ...item.max, ...item.default };
  const requests = { ...item.min, ...limits, ...item.defaultRequest };
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}
