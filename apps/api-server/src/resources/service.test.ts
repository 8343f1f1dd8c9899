import { describe, expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";

const path = "/api/v1/namespaces/default/services";
const aService = (spec: object) => ({ metadata: { name: "web" }, spec: { ports: [{ port: 80 }], ...spec } });
const policyRefused = 'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": ';
const notDual = `${policyRefused}this cluster is not configured for dual-stack services`;
const notConfigured = (index: number) =>
  `spec.ipFamilies[${index}]: Invalid value: "IPv6": not configured on this cluster`;

describe("address families that an IPv4 cluster does not have", () => {
  test.each([
    [{ ipFamilies: ["IPv6"] }, notConfigured(0)],
    [{ ipFamilyPolicy: "PreferDualStack", ipFamilies: ["IPv4", "IPv6"] }, notConfigured(1)],
    [{ ipFamilies: ["IPv4", "IPv6"] }, `[${notDual}, ${notConfigured(1)}]`],
    [{ ipFamilyPolicy: "RequireDualStack" }, notDual],
    [{ clusterIP: "None", selector: { app: "web" }, ipFamilies: ["IPv6"] }, notConfigured(0)],
    [{ clusterIP: "fd00::10" }, notConfigured(0)],
    [
      { ipFamilyPolicy: "SingleStack", ipFamilies: ["IPv4", "IPv6"] },
      "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
    ],
  ])("%j is rejected", async (spec, why) => {
    await using server = await TestServer.start();
    expect(await server.post(path, aService(spec))).toMatchObject({
      status: 422,
      json: { message: `Service "web" is invalid: ${why}` },
    });
  });

  test.each([
    { ipFamilies: ["IPv6"] },
    { ipFamilyPolicy: "PreferDualStack", ipFamilies: ["IPv4", "IPv6"] },
    { ipFamilyPolicy: "RequireDualStack" },
  ])("an update to %j is rejected", async (spec) => {
    await using server = await TestServer.start();
    await server.post(path, aService({}));
    expect((await server.patch(`${path}/web`, { spec })).status).toBe(422);
  });

  test("a Service that upstream accepts is accepted", async () => {
    await using server = await TestServer.start();
    for (const spec of [
      { ipFamilies: ["IPv4"] },
      { ipFamilyPolicy: "PreferDualStack" },
      { clusterIP: "None", ipFamilies: ["IPv6"] },
      { clusterIP: "None", ipFamilyPolicy: "RequireDualStack" },
      { type: "ExternalName", externalName: "example.org" },
    ]) {
      expect((await server.post(path, aService(spec))).status).toBe(201);
      await server.delete(`${path}/web`);
    }
  });
});

test("a Service that becomes an alias loses its addresses and ports, and may get new addresses and ports", async () => {
  await using server = await TestServer.start();
  await server.post(path, aService({ type: "NodePort" }));
  const { json: before } = await server.get(`${path}/web`);
  expect(before.spec).toMatchObject({ clusterIP: /./, ports: [{ nodePort: /./ }] });
  // Clients change the type of the object that they have read.
  const alias = { ...before, spec: { ...before.spec, type: "ExternalName", externalName: "example.org" } };
  const { status, json } = await server.put(`${path}/web`, alias);
  expect({ status, message: json.message }).toEqual({ status: 200, message: undefined });
  expect(Object.keys(json.spec)).not.toContain("clusterIP");
  expect(json.spec).not.toMatchObject({ clusterIPs: /./ });
  expect(json.spec.ports[0].nodePort).toBeUndefined();
  const back = await server.put(`${path}/web`, {
    ...json,
    spec: { ...json.spec, type: "ClusterIP", externalName: "" },
  });
  expect(back.json.spec.clusterIP).toMatch(/^10\./);
  // An explicit address remains a mistake.
  const asked = { ...json, spec: { ...json.spec, clusterIPs: ["10.96.0.77"] } };
  expect((await server.put(`${path}/web`, { ...asked, metadata: back.json.metadata })).json.message).toContain(
    "may not be set for ExternalName services",
  );
});
