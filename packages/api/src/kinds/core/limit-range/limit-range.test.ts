import { describe, expect, test } from "vitest";
import { anObject } from "../../../validation/testing/an-object.ts";
import { validateCreate } from "../../../validation/validate.ts";
import { applyDefaults } from "../../define-kind.ts";
import { limitRangeKind } from "./limit-range-kind.ts";

function faultsOf(...limits: object[]): string[] {
  const range = anObject(limitRangeKind, { spec: { limits } });
  return validateCreate(limitRangeKind, range).map(({ field, message }) => `${field}: ${message}`);
}

describe("a new LimitRange", () => {
  test.each<[string, object[], string[]]>([
    [
      "of all types",
      [
        { type: "Pod", max: { cpu: "2" }, min: { cpu: "1" }, maxLimitRequestRatio: { cpu: "1.5" } },
        { type: "Container", default: { cpu: "1" }, defaultRequest: { cpu: "500m" }, max: { "example.com/gpu": "1" } },
        { type: "PersistentVolumeClaim", min: { storage: "1Gi" } },
        { type: "example.com/Thing", max: { pods: "1" } },
      ],
      [],
    ],
    [
      "of unknown types",
      [{ type: "Job" }, { type: "" }],
      [
        'spec.limits[0].type: Invalid value: "Job": must be a standard limit type or fully qualified',
        'spec.limits[1].type: Invalid value: "": name part must be non-empty',
        "spec.limits[1].type: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    ],
    ["with a type twice", [{ type: "Pod" }, { type: "Pod" }], ['spec.limits[1].type: Duplicate value: "Pod"']],
    [
      "with defaults of pods",
      [{ type: "Pod", default: { cpu: "1" }, defaultRequest: { cpu: "1" } }],
      [
        "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
        "spec.limits[0].defaultRequest: Forbidden: may not be specified when `type` is 'Pod'",
      ],
    ],
    [
      "of claims without storage",
      [{ type: "PersistentVolumeClaim", max: { pods: "1" } }],
      [
        "spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided",
      ],
    ],
    [
      "of resources that no container has",
      [{ type: "Pod", max: { pods: "1", nonsense: "1" } }],
      [
        'spec.limits[0].max[pods]: Invalid value: "pods": must be a standard resource for containers',
        'spec.limits[0].max[nonsense]: Invalid value: "nonsense": must be a standard resource type or fully qualified',
        'spec.limits[0].max[nonsense]: Invalid value: "nonsense": must be a standard resource for containers',
      ],
    ],
    [
      "that contradicts itself",
      [
        {
          type: "Container",
          min: { cpu: "3" },
          defaultRequest: { cpu: "2" },
          default: { cpu: "1" },
          max: { cpu: "500m" },
        },
      ],
      [
        'spec.limits[0].min[cpu]: Invalid value: "3": min value 3 is greater than max value 500m',
        'spec.limits[0].defaultRequest[cpu]: Invalid value: "2": min value 3 is greater than default request value 2',
        'spec.limits[0].defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than max value 500m',
        'spec.limits[0].defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than default limit value 1',
        'spec.limits[0].default[cpu]: Invalid value: "3": min value 3 is greater than default value 1',
        'spec.limits[0].default[cpu]: Invalid value: "500m": default value 1 is greater than max value 500m',
      ],
    ],
    [
      "with impossible ratios",
      [
        { type: "Pod", maxLimitRequestRatio: { cpu: "800m" } },
        { type: "Container", min: { cpu: "2" }, max: { cpu: "3" }, maxLimitRequestRatio: { cpu: "2" } },
      ],
      [
        'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "800m": ratio 800m is less than 1',
        'spec.limits[1].maxLimitRequestRatio[cpu]: Invalid value: "2": ratio 2 is greater than max/min = 1.500000',
      ],
    ],
    [
      "that allows devices to be promised twice",
      [{ type: "Container", default: { "example.com/gpu": "2" }, defaultRequest: { "example.com/gpu": "1" } }],
      [
        'spec.limits[0].defaultRequest[example.com/gpu]: Invalid value: "1": default value 2 must equal to defaultRequest value 1 in example.com/gpu',
      ],
    ],
  ])("%s", (_name, limits, faults) => {
    expect(faultsOf(...limits)).toEqual(faults);
  });
});

test("a container's limits determine its defaults if these are not set", () => {
  const range = anObject(limitRangeKind, {
    spec: {
      limits: [
        {
          type: "Container",
          max: { cpu: "2", memory: "1Gi" },
          min: { cpu: "1", "ephemeral-storage": "1Gi" },
          default: { memory: "512Mi" },
        },
        { type: "Pod", max: { cpu: "4" } },
      ],
    },
  });
  applyDefaults(limitRangeKind, range);
  const [container, pod] = range.spec?.limits ?? [];
  expect(container?.default).toEqual({ cpu: "2", memory: "512Mi" });
  expect(container?.defaultRequest).toEqual({ cpu: "2", memory: "512Mi", "ephemeral-storage": "1Gi" });
  expect(pod).toEqual({ type: "Pod", max: { cpu: "4" } });
});
