import { chooseFeatures, defaultMinor, type KubernetesMinor } from "@kintsugi/api";
import { expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";
import { chooseServedVersions } from "./served-versions.ts";

const policies = (version: string) => ({
  group: "admissionregistration.k8s.io",
  version,
  resource: "mutatingadmissionpolicies",
});
const pods = { group: "", version: "v1", resource: "pods" };

function choose(minor: KubernetesMinor | undefined, runtimeConfig: Record<string, boolean> = {}, gates = {}) {
  const features = chooseFeatures({ minor, gates });
  return { minor, features, isServed: chooseServedVersions({ minor, features, runtimeConfig }) };
}

test("a version serves the resources that upstream serves by default", () => {
  const served = (minor: KubernetesMinor | undefined) =>
    ["v1alpha1", "v1beta1", "v1"].filter((version) => choose(minor).isServed(policies(version)));
  expect(served(35)).toEqual([]);
  expect(served(defaultMinor)).toEqual(["v1"]);
  expect(served(37)).toEqual(["v1"]);
  expect(served(undefined)).toEqual(["v1alpha1", "v1beta1", "v1"]);
});

test("the runtime configuration enables resources that are off, if the version and its features have them", () => {
  const gates = { MutatingAdmissionPolicy: true };
  const beta = "admissionregistration.k8s.io/v1beta1";
  expect(choose(34, { [beta]: true }, gates).isServed(policies("v1beta1"))).toBe(true);
  expect(choose(34, { "api/beta": true }, gates).isServed(policies("v1beta1"))).toBe(true);
  expect(choose(34, { [beta]: true }).isServed(policies("v1beta1"))).toBe(false);
  expect(choose(33, { "api/all": true }, gates).isServed(policies("v1beta1"))).toBe(false);
});

test("the most specific entry counts", () => {
  const { isServed } = choose(undefined, { "api/all": false, v1: true, "v1/podtemplates": false });
  expect(isServed(pods)).toBe(true);
  expect(isServed({ ...pods, resource: "podtemplates" })).toBe(false);
  expect(isServed({ group: "apps", version: "v1", resource: "deployments" })).toBe(false);
  // The versions of custom kinds are controlled by their definitions.
  expect(isServed({ group: "example.com", version: "v1", resource: "widgets" })).toBe(true);
});

test.each(["apps/v2", "api/gamma", "v1/nothing", "constructor"])("the unknown entry %s is rejected", (word) => {
  expect(() => choose(33, { [word]: true })).toThrow(`unknown api "${word}"; valid are`);
});

const spec = { containers: [{ name: "c", image: "i", restartPolicyRules: rules() }], hostnameOverride: "web" };
const aPod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec };

function rules() {
  return [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }];
}

test("a server of a version has neither later kinds nor later fields, and reports its version", async () => {
  await using server = await TestServer.start(choose(33));
  const { json: version } = await server.get("/version");
  expect(version).toMatchObject({ minor: "33", gitVersion: "v1.33.0+kintsugi" });
  const { json: groups } = await server.get("/apis/storage.k8s.io/v1");
  const names = groups.resources.map(({ name }: { name: string }) => name);
  expect(names).toContain("storageclasses");
  expect(names).not.toContain("volumeattributesclasses");
  expect((await server.get("/apis/storage.k8s.io/v1/volumeattributesclasses")).status).toBe(404);
  expect((await server.get("/apis/storage.k8s.io/v1beta1")).status).toBe(404);
  const { json: openApi } = await server.get("/openapi/v3");
  expect(Object.keys(openApi.paths)).not.toContain("apis/storage.k8s.io/v1beta1");
  const { json: pod } = await server.post("/api/v1/namespaces/default/pods", aPod);
  expect(pod.spec.hostnameOverride).toBeUndefined();
  expect(pod.spec.containers[0].restartPolicyRules).toBeUndefined();
});

test("a server of a later version serves them, and keeps fields that it cannot serve", async () => {
  await using server = await TestServer.start(choose(35));
  expect((await server.get("/version")).json).toMatchObject({ minor: "35", gitVersion: "v1.35.0+kintsugi" });
  expect((await server.get("/apis/storage.k8s.io/v1/volumeattributesclasses")).status).toBe(200);
  expect((await server.get("/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies")).status).toBe(404);
  const { status, json: pod } = await server.post("/api/v1/namespaces/default/pods", {
    ...aPod,
    spec: { ...spec, containers: [{ ...spec.containers[0], restartPolicy: "Never" }] },
  });
  expect([status, pod.spec?.hostnameOverride, pod.spec?.containers[0].restartPolicyRules]).toEqual([
    201,
    "web",
    rules(),
  ]);
});

test("a server without a configured version has everything", async () => {
  await using server = await TestServer.start();
  expect((await server.get("/apis/admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicies")).status).toBe(200);
});

test.each<[KubernetesMinor, object, number]>([
  [35, {}, 422],
  [35, { RelaxedServiceNameValidation: true }, 201],
  [36, {}, 201],
  [36, { RelaxedServiceNameValidation: false }, 422],
])("with 1.%i and %j a Service whose name begins with a digit is answered with %i", async (minor, gates, status) => {
  await using server = await TestServer.start(choose(minor, {}, gates));
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "1web" }, spec: { ports: [{ port: 80 }] } };
  const answer = await server.post("/api/v1/namespaces/default/services", service);
  expect(answer.status).toBe(status);
  expect(answer.json.message ?? "").toContain(status === 201 ? "" : "a DNS-1035 label must consist of");
  // A name that no version allows is rejected once, in the words of the rule for all versions.
  const wrong = await server.post("/api/v1/namespaces/default/services", { ...service, metadata: { name: "Web" } });
  expect(wrong.json.details.causes).toHaveLength(1);
});
