import { describe, expect, test } from "vitest";
import type { Container } from "../spec/container.ts";
import {
  hostPortsConflict,
  podHostPorts,
  podLimits,
  podQosClass,
  podRequests,
  type PodQosClass,
  type ResourceAmounts,
} from "./pod-resources.ts";
import type { PodSpec } from "../spec/pod-spec.ts";
import type { Pod } from "../pod.ts";

const pod = (spec: Partial<PodSpec>): Pod => ({ metadata: { name: "p" }, spec: { containers: [], ...spec } });

const asking = (requests: Record<string, string>, more: Partial<Container> = {}): Container => ({
  name: "c",
  ...more,
  resources: { requests, limits: requests },
});

const sidecar = (requests: Record<string, string>) => asking(requests, { restartPolicy: "Always" });

describe("a pod that is resized requests", () => {
  const pending = (reason: string) => ({ type: "PodResizePending", status: "True" as const, reason });
  const status = { name: "c", ready: true, restartCount: 0, image: "", imageID: "" };
  const granted = { ...status, allocatedResources: { cpu: "2" }, resources: { requests: { cpu: "3" } } };
  test.each([
    ["its request, if that is the largest", "4", [], 4000],
    ["its present resources, if it requests less", "1", [], 3000],
    ["its request, while that is deferred", "9", [pending("Deferred")], 9000],
    ["its present resources, if its node can never grant more", "9", [pending("Infeasible")], 3000],
  ])("%s", (_, cpu, conditions, expected) => {
    const { metadata, spec } = pod({ containers: [asking({ cpu })] });
    expect(podRequests({ metadata, spec, status: { conditions, containerStatuses: [granted] } })).toEqual({
      cpu: expected,
    });
  });
});

describe("a pod requests", () => {
  test.each<[string, Partial<PodSpec>, ResourceAmounts]>([
    ["nothing", { containers: [{ name: "c" }] }, {}],
    [
      "the sum of its containers' requests",
      { containers: [asking({ cpu: "100m", memory: "1Mi" }), asking({ cpu: "1" })] },
      { cpu: 1100, memory: 1_048_576 },
    ],
    [
      "its largest init container, if that requests more",
      { containers: [asking({ cpu: "1" })], initContainers: [asking({ cpu: "2" }), asking({ cpu: "3" })] },
      { cpu: 3000 },
    ],
    [
      "its sidecars in addition to its containers",
      { containers: [asking({ cpu: "1" })], initContainers: [sidecar({ cpu: "500m" })] },
      { cpu: 1500 },
    ],
    [
      "an init container in addition to the sidecars before it",
      { containers: [asking({ cpu: "1" })], initContainers: [sidecar({ cpu: "500m" }), asking({ cpu: "2" })] },
      { cpu: 2500 },
    ],
    [
      "an init container without the sidecars after it",
      { containers: [asking({ cpu: "1" })], initContainers: [asking({ cpu: "2" }), sidecar({ cpu: "500m" })] },
      { cpu: 2000 },
    ],
    ["its runtime's overhead", { containers: [asking({ cpu: "1" })], overhead: { cpu: "250m" } }, { cpu: 1250 }],
    [
      "its pod-level request",
      { containers: [asking({ cpu: "1", "example.com/gpu": "1" })], resources: { requests: { cpu: "4" } } },
      { cpu: 4000, "example.com/gpu": 1 },
    ],
  ])("%s", (_what, spec, expected) => {
    expect(podRequests(pod(spec))).toEqual(expected);
  });
});

test("overhead raises only limits that exist", () => {
  const spec = { containers: [asking({ cpu: "1" })], overhead: { cpu: "250m", memory: "1Mi" } };
  expect(podLimits(pod(spec))).toEqual({ cpu: 1250 });
});

describe("a pod's class of service is", () => {
  const limited = (requests: Record<string, string>, limits: Record<string, string>): Container => ({
    name: "c",
    resources: { requests, limits },
  });
  test.each<[PodQosClass, string, Container[]]>([
    ["BestEffort", "without requests and limits", [{ name: "c" }]],
    ["BestEffort", "with amounts of zero", [limited({ cpu: "0" }, {})]],
    ["BestEffort", "with other resources only", [asking({ "example.com/gpu": "1" })]],
    ["Guaranteed", "with equal requests and limits of both", [asking({ cpu: "1", memory: "1Gi" })]],
    ["Burstable", "with one of the two", [asking({ cpu: "1" })]],
    ["Burstable", "with requests below limits", [limited({ cpu: "1", memory: "1Gi" }, { cpu: "2", memory: "1Gi" })]],
    ["Burstable", "when one container sets nothing", [asking({ cpu: "1", memory: "1Gi" }), { name: "d" }]],
  ])("%s %s", (expected, _what, containers) => {
    expect(podQosClass(pod({ containers }))).toBe(expected);
  });

  test("determined by init containers as well", () => {
    const spec = { containers: [asking({ cpu: "1", memory: "1Gi" })], initContainers: [{ name: "i" }] };
    expect(podQosClass(pod(spec))).toBe("Burstable");
  });
});

test("host ports are the ports of containers and sidecars", () => {
  const port = (hostPort: number) => ({ ports: [{ containerPort: 1, hostPort }] });
  const spec = {
    containers: [
      { name: "c", ...port(80) },
      { name: "d", ports: [{ containerPort: 1 }] },
    ],
    initContainers: [
      { name: "s", restartPolicy: "Always" as const, ...port(81) },
      { name: "i", ...port(82) },
    ],
  };
  expect(podHostPorts(pod(spec))).toEqual([
    { hostIP: "0.0.0.0", protocol: "TCP", port: 80 },
    { hostIP: "0.0.0.0", protocol: "TCP", port: 81 },
  ]);
});

test("host ports conflict on one address, or if one of them has the wildcard address", () => {
  const at = (hostIP: string, port = 80, protocol: "TCP" | "UDP" = "TCP") => ({ hostIP, port, protocol });
  expect(hostPortsConflict(at("1.1.1.1"), at("1.1.1.2"))).toBe(false);
  expect(hostPortsConflict(at("1.1.1.1"), at("0.0.0.0"))).toBe(true);
  expect(hostPortsConflict(at("1.1.1.1"), at("1.1.1.1", 81))).toBe(false);
  expect(hostPortsConflict(at("1.1.1.1"), at("1.1.1.1", 80, "UDP"))).toBe(false);
});
