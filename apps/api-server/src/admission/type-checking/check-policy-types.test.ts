import type { ValidatingAdmissionPolicy } from "@kintsugi/api";
import { expect, test } from "vitest";
import { checkPolicyTypes, type KindFinder } from "./check-policy-types.ts";

const kinds: KindFinder = {
  byResource: (group, version, resource) => ({
    group,
    version,
    kind: resource,
    description: { type: "object", name: resource, fields: new Map() } as never,
  }),
  byKind: () => undefined,
};

function stepsOf(spec: Partial<NonNullable<ValidatingAdmissionPolicy["spec"]>>) {
  const resources = ["a", "b", "c"];
  const matchConstraints = { resourceRules: [{ apiGroups: ["g"], apiVersions: ["v1"], resources }] };
  return [...checkPolicyTypes({ spec: { matchConstraints, ...spec } } as ValidatingAdmissionPolicy, kinds)];
}

test("each step checks one expression with one kind", () => {
  const variables = [1, 2].map((value) => ({ name: `v${value}`, expression: `${value} + 7100` }));
  const steps = stepsOf({ variables, validations: [{ expression: "variables.v1 == 1" }] } as never);
  expect(steps).toEqual(Array.from({ length: 2 * 3 + 3 }, () => undefined));
});

test("expressions beyond the budget of an object are not checked", () => {
  const expression = (name: string) => `"${"y".repeat(9_000)}" == ${name}`;
  const validations = ["a", "b", "c", "d", "e"].map((name) => ({ expression: expression(name) }));
  const warned = stepsOf({ validations } as never).flatMap((step) => step?.fieldRef ?? []);
  expect(warned).toEqual([0, 1, 2].map((index) => `spec.validations[${index}].expression`));
});
