import { expect, test } from "vitest";
import { aContainer, aPod, exited, instance, observed } from "../testing/builders.ts";
import { allocatedPod, isAsAsked, nothingResized, planContainerResize, resourcesText } from "./allocation.ts";

const small = { requests: { cpu: "100m", memory: "32Mi" }, limits: { cpu: "200m" } };
const large = { requests: { cpu: "300m", memory: "32Mi" }, limits: { cpu: "600m" } };
const restartOnCpu = [{ resourceName: "cpu", restartPolicy: "RestartContainer" as const }];
const restartOnMemory = [{ resourceName: "memory", restartPolicy: "RestartContainer" as const }];
const madeWith = (resources: object) => ({ annotations: { "kintsugi.dev/resources": resourcesText({ resources }) } });

test.each([
  ["has its allocation", aContainer("c", { resources: small }), madeWith(small), undefined],
  ["gets more in place", aContainer("c", { resources: large }), madeWith(small), { kind: "update", resources: large }],
  [
    "restarts if its policy requires it for the changed resource",
    aContainer("c", { resources: large, resizePolicy: restartOnCpu }),
    madeWith(small),
    { kind: "restart" },
  ],
  [
    "does not restart for an unchanged resource",
    aContainer("c", { resources: large, resizePolicy: restartOnMemory }),
    madeWith(small),
    { kind: "update", resources: large },
  ],
  ["of an older kubelet is not changed", aContainer("c", { resources: large }), { annotations: {} }, undefined],
])("a container that %s", (_, container, fields, expected) => {
  expect(planContainerResize(container, instance("c", fields), nothingResized)).toEqual(expected);
});

test("resources that were actuated in place take precedence over the resources of the container's creation", () => {
  const record = { allocated: {}, actuated: { "c-0": large } };
  const running = instance("c", madeWith(small));
  expect(planContainerResize(aContainer("c", { resources: large }), running, record)).toBeUndefined();
  expect(planContainerResize(aContainer("c", { resources: small }), running, record)).toMatchObject({ kind: "update" });
});

test.each([
  ["a new pod has its requests", observed(), nothingResized, large],
  ["a request is not an allocation", observed([instance("c", madeWith(small))]), nothingResized, small],
  [
    "nor is the request of a container that has just ended",
    observed([exited("c", madeWith(small))]),
    nothingResized,
    small,
  ],
  [
    "an allocation is kept, even while the container runs with fewer resources",
    observed([instance("c", madeWith(small))]),
    { allocated: { c: large }, actuated: {} },
    large,
  ],
])("%s", (_, seen, record, resources) => {
  const pod = aPod({ containers: [aContainer("c", { resources: large })] });
  const granted = allocatedPod(pod, seen, record);
  expect(granted.spec.containers[0]?.resources).toEqual(resources);
  expect(isAsAsked(granted, pod)).toBe(resources === large);
});

test("init containers that end are not resized, but sidecars are", () => {
  const initContainers = [
    aContainer("i", { resources: large }),
    aContainer("s", { resources: large, restartPolicy: "Always" }),
  ];
  const seen = observed([instance("s", madeWith(small)), exited("i", { ...madeWith(small), exitCode: 0 })]);
  const granted = allocatedPod(aPod({ initContainers }), seen, nothingResized);
  expect(granted.spec.initContainers?.map(({ resources }) => resources)).toEqual([large, small]);
});

test("resources other than cpu and memory remain as requested", () => {
  const resources = { requests: { cpu: "1", "ephemeral-storage": "1Gi" }, claims: [{ name: "gpu" }] };
  const seen = observed([instance("c", madeWith({ requests: { cpu: "2" } }))]);
  const granted = allocatedPod(aPod({ containers: [aContainer("c", { resources })] }), seen, nothingResized);
  expect(granted.spec.containers[0]?.resources).toEqual({
    ...resources,
    requests: { ...resources.requests, cpu: "2" },
  });
});
