import { describe, expect, test } from "vitest";
import { anObject } from "../../../validation/testing/an-object.ts";
import { validateCreate, validateUpdate } from "../../../validation/validate.ts";
import { resourceQuotaKind } from "./resource-quota-kind.ts";

function faultsOf(spec: object): string[] {
  const quota = anObject(resourceQuotaKind, { spec });
  return validateCreate(resourceQuotaKind, quota).map(({ field, message }) => `${field}: ${message}`);
}

const requirement = (scopeName: string, operator: string, ...values: string[]) => ({
  scopeSelector: { matchExpressions: [{ scopeName, operator, ...(values.length === 0 ? {} : { values }) }] },
});

describe("a new ResourceQuota", () => {
  test.each<[string, object, string[]]>([
    [
      "of every form of resource",
      {
        hard: {
          pods: "10",
          cpu: "1500m",
          "requests.memory": "1Gi",
          "requests.example.com/gpu": "4",
          "hugepages-2Mi": "1Gi",
          "requests.hugepages-2Mi": "1Gi",
          "count/deployments.apps": "3",
          "gold.storageclass.storage.k8s.io/requests.storage": "1Ti",
        },
      },
      [],
    ],
    ["with scopes", { hard: { pods: "1", cpu: "1" }, scopes: ["Terminating", "NotBestEffort"] }, []],
    ["with a selector", { hard: { pods: "1" }, ...requirement("PriorityClass", "In", "high") }, []],
    [
      "of resources that it cannot count",
      { hard: { storage: "1", nonsense: "1", pods: "1.5", secrets: "-1", "example.com/gpu": "500m" } },
      [
        'spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota',
        'spec.hard[nonsense]: Invalid value: "nonsense": must be a standard resource type or fully qualified',
        'spec.hard[nonsense]: Invalid value: "nonsense": must be a standard resource for quota',
        'spec.hard[pods]: Invalid value: "1500m": must be an integer',
        'spec.hard[secrets]: Invalid value: "-1": must be greater than or equal to 0',
        'spec.hard[example.com/gpu]: Invalid value: "500m": must be an integer',
      ],
    ],
    [
      "with invalid scopes",
      { hard: { pods: "1", cpu: "1" }, scopes: ["BestEffort", "NotBestEffort", "Odd"] },
      [
        'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","Odd"]: unsupported scope applied to resource',
        'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","Odd"]: unsupported scope',
        'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","Odd"]: conflicting scopes',
      ],
    ],
    [
      "with a selector of pods for services",
      { hard: { services: "1" }, ...requirement("Terminating", "Exists") },
      [
        'spec.scopeSelector.matchExpressions: Invalid value: {"matchExpressions":[{"scopeName":"Terminating","operator":"Exists"}]}: unsupported scope applied to resource',
      ],
    ],
    [
      "that compares a scope without values",
      { ...requirement("Terminating", "In", "yes") },
      [
        "spec.scopeSelector.matchExpressions.operator: Invalid value: \"In\": must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
      ],
    ],
    [
      "without the values of In",
      requirement("PriorityClass", "In"),
      [
        "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
      ],
    ],
    [
      "with values of Exists",
      requirement("PriorityClass", "Exists", "x"),
      [
        "spec.scopeSelector.matchExpressions.values: Invalid value: [\"x\"]: must be no value when `operator` is 'Exists' or 'DoesNotExist' for scope selector",
      ],
    ],
    [
      "with an unknown operator",
      requirement("Odd", "Gt"),
      [
        'spec.scopeSelector.matchExpressions.scopeName: Invalid value: "Odd": unsupported scope',
        'spec.scopeSelector.matchExpressions.operator: Invalid value: "Gt": not a valid selector operator',
      ],
    ],
  ])("%s", (_name, spec, faults) => {
    expect(faultsOf(spec)).toEqual(faults);
  });
});

test.each<[string, object, object, string[]]>([
  ["its limits", { hard: { pods: "1" } }, { hard: { pods: "2" } }, []],
  ["the order of its scopes", { scopes: ["Terminating", "BestEffort"] }, { scopes: ["BestEffort", "Terminating"] }, []],
  ["its scopes", { scopes: ["Terminating"] }, {}, ["spec.scopes: Invalid value: []: field is immutable"]],
])("a change of %s", (_name, before, after, faults) => {
  const [old, next] = [before, after].map((spec) =>
    anObject(resourceQuotaKind, { metadata: { resourceVersion: "1" }, spec }),
  );
  const issues = validateUpdate(resourceQuotaKind, { before: old!, after: next! });
  expect(issues.map(({ field, message }) => `${field}: ${message}`)).toEqual(faults);
});

test("the table shows requests and limits next to their bounds", () => {
  const quota = anObject(resourceQuotaKind, {
    status: { hard: { pods: "4", "limits.cpu": "2", cpu: "1" }, used: { pods: "3", "limits.cpu": "500m" } },
  });
  expect(resourceQuotaKind.table?.cells(quota, 0)).toEqual([
    "x",
    "cpu: 0/1, pods: 3/4",
    "limits.cpu: 500m/2",
    "<unknown>",
  ]);
});
