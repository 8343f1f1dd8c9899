import { type ConfigMap, type Namespace, type ServiceAccount } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aNamespace, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { rootCaCertPublisher } from "../../controllers/root-ca-cert-publisher/controller.ts";
import { serviceAccountController } from "../../controllers/service-account/controller.ts";

const namesOf = (cluster: ControllerTestCluster, resource: string) =>
  cluster.api.log.list(resource).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);

describe("each namespace", () => {
  test("gets its default service account immediately, and again when it is deleted", async () => {
    const cluster = new ControllerTestCluster();
    cluster.put("namespaces", aNamespace("default"));
    await cluster.start(serviceAccountController);
    cluster.put("namespaces", aNamespace("new"));
    await cluster.clock.advance(100);
    expect(namesOf(cluster, "serviceaccounts").sort()).toEqual(["default/default", "new/default"]);
    cluster.remove("serviceaccounts", cluster.find("serviceaccounts", "default", "new") as ServiceAccount);
    await cluster.clock.advance(100);
    expect(namesOf(cluster, "serviceaccounts").sort()).toEqual(["default/default", "new/default"]);
  });

  test("does not get objects once it is being deleted", async () => {
    const cluster = new ControllerTestCluster();
    cluster.put("namespaces", aNamespace("old", { terminating: true }));
    await cluster.start(serviceAccountController);
    await cluster.clock.advance(60_000);
    expect(namesOf(cluster, "serviceaccounts")).toEqual([]);
  });

  test("keeps changes of its service account, but not changes of its CA certificate", async () => {
    const cluster = new ControllerTestCluster();
    cluster.put("namespaces", aNamespace("default"));
    const metadata = { name: "default", namespace: "default", uid: "sa" };
    cluster.put("serviceaccounts", { metadata, imagePullSecrets: [{ name: "registry" }] } as ServiceAccount);
    const stale = { metadata: { ...metadata, name: "kube-root-ca.crt", uid: "cm" }, data: { "ca.crt": "other" } };
    cluster.put("configmaps", stale as ConfigMap);
    cluster.rootCa = "PEM";
    await cluster.start(serviceAccountController, rootCaCertPublisher);
    await cluster.clock.advance(100);
    expect(cluster.find<ServiceAccount>("serviceaccounts", "default")?.imagePullSecrets).toEqual([
      { name: "registry" },
    ]);
    expect(cluster.find<ConfigMap>("configmaps", "kube-root-ca.crt")?.data).toEqual({ "ca.crt": "PEM" });
  });

  test("is synced again if a creation failed", async () => {
    const cluster = new ControllerTestCluster();
    cluster.put("namespaces", aNamespace("default"));
    let refusals = 2;
    cluster.interfere = (request) =>
      request.method === "POST" && request.path.includes("configmaps") && refusals-- > 0 ? "refuse" : "pass";
    cluster.rootCa = "PEM";
    await cluster.start(rootCaCertPublisher);
    await cluster.clock.advance(5000);
    expect(namesOf(cluster, "configmaps")).toEqual(["default/kube-root-ca.crt"]);
    expect(cluster.find<Namespace>("namespaces", "default", "")).toBeDefined();
  });
});
