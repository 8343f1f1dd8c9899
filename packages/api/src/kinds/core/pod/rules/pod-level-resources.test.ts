import { expect, test } from "vitest";
import { podKind } from "../../../../index.ts";
import { aPod, container } from "../../../../validation/testing/a-pod.ts";
import { validateCreate } from "../../../../validation/validate.ts";
import { setPodDefaults } from "../defaults/pod-defaults.ts";
import type { Pod } from "../pod.ts";

const asking = (requests: object, more: object = {}) => ({ ...container, resources: { requests, ...more } });

function requestsOf(resources: object, containers: object[], initContainers: object[] = []) {
  const pod = { ...aPod({ resources, containers, initContainers }) } as Pod;
  setPodDefaults(pod);
  return pod.spec?.resources?.requests;
}

test("a pod requests the sum of its containers, and its limits if they request nothing", () => {
  const limits = { cpu: "2", memory: "1Gi" };
  expect(requestsOf({ limits }, [container])).toEqual(limits);
  expect(requestsOf({ limits }, [asking({ cpu: "100m" }), asking({ cpu: "200m" })])).toEqual({
    cpu: "300m",
    memory: "1Gi",
  });
  expect(requestsOf({ limits, requests: { cpu: "1" } }, [asking({ cpu: "100m" })])).toEqual({
    cpu: "1",
    memory: "1Gi",
  });
  const sidecar = { ...asking({ cpu: "100m" }), restartPolicy: "Always" };
  expect(requestsOf({ limits }, [asking({ cpu: "100m" })], [sidecar, asking({ cpu: "500m" })])).toEqual({
    cpu: "600m",
    memory: "1Gi",
  });
  expect(requestsOf({ requests: { cpu: "1" } }, [asking({ memory: "1Mi" })])).toEqual({ cpu: "1" });
});

test.each<[string, object, string[]]>([
  ["the pod has enough", { resources: { requests: { cpu: "1" }, limits: { cpu: "1" } } }, []],
  [
    "its containers request more than the pod",
    {
      resources: { requests: { cpu: "1" } },
      containers: [asking({ cpu: "600m" }), { ...asking({ cpu: "600m" }), name: "b" }],
    },
    [
      'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 1200m',
    ],
  ],
  [
    "a container may use more than the pod",
    { resources: { limits: { memory: "1Mi" } }, containers: [asking({}, { limits: { memory: "2Mi" } })] },
    [
      'spec.resources.requests: Invalid value: "2Mi": must be less than or equal to memory limit of 1Mi',
      'spec.containers[0].resources.limits[memory]: Invalid value: "2Mi": must be less than or equal to pod limits of 1Mi',
    ],
  ],
  [
    "it requests a resource that pods cannot share",
    { resources: { requests: { "ephemeral-storage": "1Gi" } } },
    [
      'spec.resources.requests[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: "cpu", "memory", "hugepages-"',
    ],
  ],
])("a pod-level request is validated where %s", (_what, spec, faults) => {
  expect(validateCreate(podKind, aPod(spec)).map(({ field, message }) => `${field}: ${message}`)).toEqual(faults);
});
