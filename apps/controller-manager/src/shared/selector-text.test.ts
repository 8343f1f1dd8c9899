import { expect, test } from "vitest";
import { selectorText } from "./selector-text.ts";

test("a selector is written as Go prints it, with sorted labels", () => {
  const matchExpressions = [
    { key: "tier", operator: "In" as const, values: ["a", "b"] },
    { key: "old", operator: "DoesNotExist" as const },
  ];
  expect(selectorText({ matchLabels: { b: "2", a: "1" }, matchExpressions })).toBe(
    "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:tier,Operator:In,Values:[a b],},LabelSelectorRequirement{Key:old,Operator:DoesNotExist,Values:[],},},}",
  );
  expect(selectorText(undefined)).toBe("nil");
});
