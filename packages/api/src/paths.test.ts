import { describe, expect, test } from "vitest";
import { collectionPath, objectPath, parseObjectPath } from "./paths.ts";
import { clusterRoles, namespaces, nodes, pods, replicaSets } from "./index.ts";

describe("paths", () => {
  test.each([
    [objectPath(pods), "/api/v1/pods"],
    [objectPath(pods, { namespace: "default", name: "" }), "/api/v1/namespaces/default/pods"],
    [objectPath(pods, { namespace: "default", name: "web" }), "/api/v1/namespaces/default/pods/web"],
    [objectPath(pods, { namespace: "default", name: "web" }, "status"), "/api/v1/namespaces/default/pods/web/status"],
    [objectPath(nodes, { namespace: "", name: "n" }), "/api/v1/nodes/n"],
    [objectPath(replicaSets, { namespace: "a", name: "b" }), "/apis/apps/v1/namespaces/a/replicasets/b"],
    [collectionPath(replicaSets, "a"), "/apis/apps/v1/namespaces/a/replicasets"],
    [collectionPath(replicaSets), "/apis/apps/v1/replicasets"],
    [
      objectPath(clusterRoles, { namespace: "", name: "system:node" }),
      "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node",
    ],
    [
      objectPath(clusterRoles, { namespace: "", name: "a b%" }),
      "/apis/rbac.authorization.k8s.io/v1/clusterroles/a%20b%25",
    ],
  ])("%s", (path, expected) => {
    expect(path).toBe(expected);
  });

  test.each([
    ["/api/v1/pods", { group: "", version: "v1", resource: "pods", namespace: "", name: "", subresource: "" }],
    ["/api/v1/namespaces", { resource: "namespaces", namespace: "", name: "" }],
    ["/api/v1/namespaces/a", { resource: "namespaces", namespace: "", name: "a" }],
    ["/api/v1/namespaces/a/status", { resource: "namespaces", name: "a", subresource: "status" }],
    ["/api/v1/namespaces/a/finalize", { resource: "namespaces", name: "a", subresource: "finalize" }],
    ["/api/v1/namespaces/a/pods/b/log", { resource: "pods", namespace: "a", name: "b", subresource: "log" }],
    ["/apis/apps/v1/namespaces/a/replicasets", { group: "apps", resource: "replicasets", namespace: "a", name: "" }],
    [
      "/api/v1/nodes/n/proxy/stats/summary",
      { resource: "nodes", name: "n", subresource: "proxy", rest: "stats/summary" },
    ],
  ])("%s is split into its parts", (path, expected) => {
    expect(parseObjectPath(path)).toMatchObject(expected);
  });

  test.each(["/", "/healthz", "/api", "/api/v1", "/apis//v1/pods", "/apis/apps/v1", "/api/v1/nodes/%zz"])(
    "%s addresses nothing",
    (path) => {
      expect(parseObjectPath(path)).toBeUndefined();
    },
  );

  test("the paths that objectPath writes are the paths that parseObjectPath reads", () => {
    for (const type of [pods, nodes, namespaces, replicaSets]) {
      const key = { namespace: type.namespaced ? "a" : "", name: "b%c d" };
      expect(parseObjectPath(objectPath(type, key, "status"))).toMatchObject({
        ...key,
        resource: type.resource,
        subresource: "status",
      });
    }
  });
});
