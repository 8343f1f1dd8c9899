import { describe, expect, test } from "vitest";
import { anObject } from "../../validation/testing/an-object.ts";
import { validateCreate, validateUpdate } from "../../validation/validate.ts";
import { deviceClassKind } from "./device-class/device-class-kinds.ts";
import { resourceClaimTemplateKind } from "./resource-claim-template/resource-claim-template-kinds.ts";
import { resourceClaimKind } from "./resource-claim/resource-claim-kinds.ts";
import { resourceSliceKind } from "./resource-slice/resource-slice-kinds.ts";

const shown = (issues: readonly { field: string; message: string }[]) =>
  issues.map(({ field, message }) => `${field}: ${message}`);

const gpu = { name: "gpu", exactly: { deviceClassName: "gpu.example.com" } };
const claimFaults = (devices: object) =>
  shown(validateCreate(resourceClaimKind, anObject(resourceClaimKind, { spec: { devices } })));

describe("a claim", () => {
  test("requests one device if a request has no count", () => {
    const { spec } = anObject(resourceClaimKind, { spec: { devices: { requests: [gpu] } } });
    expect(spec.devices?.requests?.[0]?.exactly).toMatchObject({ allocationMode: "ExactCount", count: 1 });
  });

  test.each<[string, object, string[]]>([
    ["for nothing", {}, []],
    ["for a device", { requests: [gpu] }, []],
    [
      "with alternatives, constraints and parameters",
      {
        requests: [
          {
            name: "gpu",
            firstAvailable: [
              { name: "big", deviceClassName: "a" },
              { name: "small", deviceClassName: "b" },
            ],
          },
        ],
        constraints: [{ requests: ["gpu/big"], matchAttribute: "gpu.example.com/numa" }],
        config: [{ opaque: { driver: "gpu.example.com", parameters: { mode: "fast" } } }],
      },
      [],
    ],
    [
      "in two forms, and without a form",
      { requests: [{ ...gpu, firstAvailable: [{ name: "a", deviceClassName: "b" }] }, { name: "x" }] },
      [
        "spec.devices.requests[0]: Invalid value: exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set",
        "spec.devices.requests[1]: Required value: exactly one of `exactly` or `firstAvailable` is required",
      ],
    ],
    [
      "of no class, in an unknown mode, twice",
      { requests: [{ name: "gpu", exactly: { deviceClassName: "", allocationMode: "Some" } }, gpu] },
      [
        "spec.devices.requests[0].exactly.deviceClassName: Required value",
        'spec.devices.requests[0].exactly.allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"',
        'spec.devices.requests[1]: Duplicate value: "gpu"',
      ],
    ],
    [
      "with a count for all devices, and with a negative count",
      {
        requests: [
          { name: "a", exactly: { deviceClassName: "c", allocationMode: "All", count: 2 } },
          { name: "b", exactly: { deviceClassName: "c", count: -1 } },
        ],
      },
      [
        "spec.devices.requests[0].exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'",
        "spec.devices.requests[1].exactly.count: Invalid value: -1: must be greater than zero",
      ],
    ],
    [
      "about requests that do not exist",
      {
        requests: [gpu],
        constraints: [{ requests: ["gpu/big"], matchAttribute: "numa" }, {}],
        config: [{ requests: ["cpu"], opaque: { driver: "", parameters: {} } }, {}],
      },
      [
        "spec.devices.constraints[0].requests[0]: Invalid value: \"gpu/big\": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
        'spec.devices.constraints[0].matchAttribute: Invalid value: "numa": a fully qualified name must be a domain and a name separated by a slash',
        'spec.devices.constraints[1]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required',
        "spec.devices.config[0].requests[0]: Invalid value: \"cpu\": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
        "spec.devices.config[0].opaque.driver: Required value",
        expect.stringMatching(/^spec\.devices\.config\[0\]\.opaque\.driver: Invalid value: ""/),
        "spec.devices.config[1].opaque: Required value",
      ],
    ],
    [
      "with tolerations that tolerate nothing",
      {
        requests: [
          {
            name: "a",
            exactly: {
              deviceClassName: "c",
              selectors: [{}],
              tolerations: [
                { key: "k", operator: "Exists", value: "v" },
                { key: "k", operator: "Near", effect: "Later" },
              ],
            },
          },
        ],
      },
      [
        "spec.devices.requests[0].exactly.selectors[0].cel: Required value",
        'spec.devices.requests[0].exactly.tolerations[0].value: Invalid value: "v": must be empty for operator `Exists`',
        'spec.devices.requests[0].exactly.tolerations[1].operator: Unsupported value: "Near": supported values: "Equal", "Exists"',
        'spec.devices.requests[0].exactly.tolerations[1].effect: Unsupported value: "Later": supported values: "NoExecute", "NoSchedule", "None"',
      ],
    ],
    [
      "with too many requests",
      { requests: Array.from({ length: 33 }, (_, index) => ({ ...gpu, name: `gpu-${index}` })) },
      ["spec.devices.requests: Too many: 33: must have at most 32 items"],
    ],
    [
      "with parameters of 10 KiB and more",
      { config: [{ opaque: { driver: "gpu.example.com", parameters: { text: "x".repeat(10 * 1024) } } }] },
      ["spec.devices.config[0].opaque.parameters: Too long: may not be more than 10240 bytes"],
    ],
  ])("%s", (_name, devices, faults) => {
    expect(claimFaults(devices)).toEqual(faults);
  });

  test("has an immutable spec", () => {
    const [before, after] = ["a", "b"].map((deviceClassName) =>
      anObject(resourceClaimKind, {
        metadata: { resourceVersion: "1" },
        spec: { devices: { requests: [{ name: "x", exactly: { deviceClassName } }] } },
      }),
    );
    expect(validateUpdate(resourceClaimKind, { before: before!, after: after! })).toMatchObject([{ field: "spec" }]);
  });
});

test("a template's claims have labels and annotations of their own, and no names", () => {
  const spec = {
    metadata: { labels: { a: "b" }, name: "x" },
    spec: { devices: { requests: [{ ...gpu, name: "A" }] } },
  };
  const template = anObject(resourceClaimTemplateKind, { spec });
  expect(shown(validateCreate(resourceClaimTemplateKind, template))).toEqual([
    "spec.metadata.name: Forbidden: cannot be set",
    expect.stringMatching(/^spec\.spec\.devices\.requests\[0\]\.name: Invalid value: "A"/),
  ]);
});

test("a class has selectors, parameters, and the name of an extended resource", () => {
  const spec = { selectors: [{}], config: [{}], extendedResourceName: "cpu" };
  expect(shown(validateCreate(deviceClassKind, anObject(deviceClassKind, { spec })))).toEqual([
    "spec.selectors[0].cel: Required value",
    "spec.config[0].opaque: Required value",
    'spec.extendedResourceName: Invalid value: "cpu": must be a valid extended resource name',
  ]);
});

const pool = { name: "node-1", generation: 1, resourceSliceCount: 1 };
const slice = { driver: "gpu.example.com", pool, nodeName: "node-1" };
const sliceFaults = (spec: object) =>
  shown(validateCreate(resourceSliceKind, anObject(resourceSliceKind, { spec: { ...slice, ...spec } })));

describe("a slice", () => {
  test.each<[string, object, string[]]>([
    ["of no devices", {}, []],
    [
      "of a device",
      {
        devices: [
          {
            name: "gpu-0",
            attributes: {
              model: { string: "A" },
              "other.example.com/numa": { int: 0 },
              driverVersion: { version: "1.2.3-rc.1" },
            },
            capacity: { memory: { value: "40Gi" } },
            taints: [{ key: "example.com/broken", effect: "NoSchedule" }],
          },
        ],
      },
      [],
    ],
    [
      "of a device that is shared",
      {
        devices: [
          {
            name: "nic",
            allowMultipleAllocations: true,
            capacity: {
              bandwidth: { value: "10G", requestPolicy: { default: "1G", validRange: { min: "1G", step: "1G" } } },
            },
          },
        ],
      },
      [],
    ],
    [
      "on nodes that are selected twice, or not at all",
      { allNodes: true, pool: { name: "a//b", generation: -1, resourceSliceCount: 0 } },
      [
        expect.stringMatching(/^spec\.pool\.name: Invalid value: ""/),
        "spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero",
        "spec.pool.generation: Invalid value: -1: must be greater than or equal to zero",
        'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set',
      ],
    ],
    [
      "of invalid devices",
      {
        devices: [
          {
            name: "x",
            attributes: { "a/b/c": { int: 1, bool: true }, v: { version: "1" }, "0": {} },
            capacity: { memory: { value: "1", requestPolicy: {} } },
            taints: [{ key: "", effect: "Never" }],
            consumesCounters: [{ counterSet: "s", counters: {} }],
            allNodes: true,
            bindingConditions: ["Ready"],
          },
          { name: "x" },
        ],
      },
      [
        expect.stringMatching(/^spec\.devices\[0\]\.attributes: Invalid value: "0": a valid C identifier must start/),
        'spec.devices[0].attributes[0]: Invalid value: "": exactly one value must be specified',
        'spec.devices[0].attributes: Invalid value: "a/b/c": must not contain more than one slash',
        'spec.devices[0].attributes[a/b/c]: Invalid value: {"int":1,"bool":true}: exactly one value must be specified',
        'spec.devices[0].attributes[v].version: Invalid value: "1": must be a string compatible with semver.org spec 2.0.0',
        "spec.devices[0].capacity[memory].requestPolicy: Forbidden: allowMultipleAllocations must be true",
        "spec.devices[0].taints[0].key: Required value",
        'spec.devices[0].taints[0].effect: Unsupported value: "Never": supported values: "NoExecute", "NoSchedule", "None"',
        "spec.devices[0].consumesCounters[0].counters: Required value",
        "spec.devices[0]: Invalid value: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
        "spec.devices[0].bindingFailureConditions: Invalid value: []: bindingFailureConditions are required to use bindingConditions",
        'spec.devices[1]: Duplicate value: "x"',
      ],
    ],
    [
      "of too many devices with taints",
      {
        devices: Array.from({ length: 65 }, (_, index) => ({
          name: `d-${index}`,
          ...(index === 0 ? { taints: [{ key: "k", effect: "None" }] } : {}),
        })),
      },
      ["spec.devices: Too many: 65: must have at most 64 items"],
    ],
    [
      "with counters and devices",
      { sharedCounters: [{ name: "s", counters: { c: { value: "1" } } }], devices: [] },
      ['spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed'],
    ],
    [
      "whose shares do not fit",
      {
        devices: [
          {
            name: "nic",
            allowMultipleAllocations: true,
            capacity: {
              a: { value: "10", requestPolicy: { default: "3", validValues: ["2", "1", "20"] } },
              b: { value: "10", requestPolicy: { default: "5", validRange: { min: "2", max: "12", step: "2" } } },
              c: { value: "10", requestPolicy: { validRange: { min: "1" } } },
            },
          },
        ],
      },
      [
        'spec.devices[0].capacity[a].requestPolicy.validValues[1]: Invalid value: "1": values must be sorted in ascending order',
        'spec.devices[0].capacity[a].requestPolicy.validValues[2]: Invalid value: "20": option is larger than capacity value: 10',
        'spec.devices[0].capacity[a].requestPolicy.validValues: Invalid value: "3": default value is not valid according to the requestPolicy',
        'spec.devices[0].capacity[b].requestPolicy.validRange.max: Invalid value: "12": max is larger than capacity value: 10',
        'spec.devices[0].capacity[b].requestPolicy.validRange.step: Invalid value: "5": value is not a multiple of a given step (2) from (2)',
        "spec.devices[0].capacity[c].requestPolicy.default: Required value: required when validRange is defined",
      ],
    ],
  ])("%s", (_name, spec, faults) => {
    expect(sliceFaults(spec)).toEqual(faults);
  });

  test("keeps its driver, its pool and its node", () => {
    const at = { metadata: { resourceVersion: "1" } };
    const before = anObject(resourceSliceKind, { ...at, spec: slice });
    const after = anObject(resourceSliceKind, {
      ...at,
      spec: { ...slice, driver: "x.example.com", nodeName: "node-2" },
    });
    expect(validateUpdate(resourceSliceKind, { before, after }).map(({ field }) => field)).toEqual([
      "spec.driver",
      "spec.nodeName",
    ]);
  });
});
