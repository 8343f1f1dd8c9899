import { describe, expect, test } from "vitest";
import { aConfigMap, applyAs, applyContentType, configMapsPath } from "../testing/applying.ts";
import { TestServer } from "../testing/test-server.ts";

describe("an apply is rejected", () => {
  const refusals: [string, { query?: string; body?: unknown; contentType?: string }, number, string][] = [
    [
      "without a manager",
      { query: "" },
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ],
    [
      "with a manager's name that is too long",
      { query: `?fieldManager=${"m".repeat(129)}` },
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
    ],
    [
      "as a merge patch in CBOR",
      { contentType: "application/merge-patch+cbor" },
      415,
      "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml, application/apply-patch+cbor",
    ],
    ["without a type", { body: {} }, 400, "invalid object type: /, Kind="],
    [
      "of another version",
      { body: { ...aConfigMap({}), apiVersion: "apps/v1" } },
      400,
      "invalid object type: apps/v1, Kind=ConfigMap",
    ],
    [
      "that is not an object",
      { body: "[1]" },
      400,
      "error decoding YAML: error unmarshaling JSON: the body is not an object",
    ],
    ["with managedFields", { body: aConfigMap({}, { managedFields: [] }) }, 400, "metadata.managedFields must be nil"],
    [
      "with an unknown field",
      { body: { ...aConfigMap({}), datum: {} } },
      500,
      "failed to create typed patch object (/c; /v1, Kind=ConfigMap): .datum: field not declared in schema",
    ],
    [
      "with a value of another type",
      { body: aConfigMap({ a: true as unknown as string }) },
      500,
      "failed to create typed patch object (/c; /v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:true}",
    ],
    [
      "by another name",
      { body: aConfigMap({}, { name: "d" }) },
      400,
      "the name of the object (d) does not match the name on the URL (c)",
    ],
    [
      "without a name",
      { body: aConfigMap({}, { name: undefined }) },
      400,
      "the name of the object (c based on URL) was undeterminable: name must be provided",
    ],
    [
      "in another namespace",
      { body: aConfigMap({}, { namespace: "other" }) },
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ],
    [
      "with the UID of a missing object",
      { body: aConfigMap({}, { uid: "u" }) },
      409,
      'Operation cannot be fulfilled on configmaps "c": uid mismatch: the provided object specified uid u, and no existing object was found',
    ],
    [
      "with a duplicate key under strict validation",
      {
        query: "?fieldManager=one&fieldValidation=Strict",
        body: "apiVersion: v1\nkind: ConfigMap\nkind: ConfigMap\nmetadata: {name: c}\n",
      },
      400,
      'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 3: key "kind" already set in map',
    ],
  ];
  test.each(refusals)(
    "%s",
    async (_what, { query = "?fieldManager=one", body = aConfigMap({}), ...options }, status, message) => {
      await using server = await TestServer.start();
      const answer = await server.patch(`${configMapsPath}/c${query}`, body, {
        contentType: applyContentType,
        ...options,
      });
      expect([answer.status, answer.json.message]).toEqual([status, message]);
    },
  );

  test("with a reason that has no upstream text", async () => {
    await using server = await TestServer.start();
    const { json } = await applyAs(server, "one", `${configMapsPath}/c`)({ ...aConfigMap({}), datum: {} });
    expect(json).toMatchObject({ kind: "Status", code: 500 });
    expect(json.reason).toBeUndefined();
  });

  test("if two items of a list are the same", async () => {
    await using server = await TestServer.start();
    const ports = [{ port: 80 }, { port: 80, protocol: "TCP" }];
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec: { ports } };
    const answer = await applyAs(server, "one", "/api/v1/namespaces/default/services/s")(service);
    expect(answer.json.message).toBe(
      'failed to create typed patch object (/s; /v1, Kind=Service): .spec.ports: duplicate entries for key [port=80,protocol="TCP"]',
    );
    const finalizers = ["a.b/c", "a.b/c"];
    const twice = await applyAs(server, "one", `${configMapsPath}/c`)(aConfigMap({}, { finalizers }));
    expect(twice.json.message).toContain('.metadata.finalizers: duplicate entries for key [="a.b/c"]');
  });

  test("of a version or an object that has been replaced", async () => {
    await using server = await TestServer.start();
    const one = applyAs(server, "one", `${configMapsPath}/c`);
    const { json } = await one(aConfigMap({ a: "1" }));
    const { resourceVersion, uid } = json.metadata;
    expect((await one(aConfigMap({ a: "2" }, { resourceVersion, uid }))).status).toBe(200);
    const stale = await one(aConfigMap({ a: "3" }, { resourceVersion }));
    expect([stale.status, stale.json.reason]).toEqual([409, "Conflict"]);
    expect(stale.json.message).toContain("the object has been modified");
    const other = await one(aConfigMap({ a: "3" }, { uid: "other" }));
    expect(other.json.message).toBe(
      'ConfigMap "c" is invalid: metadata.uid: Invalid value: "other": field is immutable',
    );
  });

  test("if its user may patch but not create, and it would create", async () => {
    await using server = await TestServer.start();
    const subject = { kind: "User", name: "alice", apiGroup: "rbac.authorization.k8s.io" };
    const rules = [
      { apiGroups: ["", "coordination.k8s.io"], resources: ["configmaps", "leases"], verbs: ["patch", "update"] },
    ];
    const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    await server.post(`${roles}/roles`, { metadata: { name: "patcher" }, rules });
    await server.post(`${roles}/rolebindings`, {
      metadata: { name: "patcher" },
      subjects: [subject],
      roleRef: { apiGroup: subject.apiGroup, kind: "Role", name: "patcher" },
    });
    const user = { name: "alice", groups: [] };
    const alice = applyAs(server, "one", `${configMapsPath}/c`);
    const refused = await alice(aConfigMap({ a: "1" }), { user });
    expect([refused.status, refused.json.message]).toEqual([
      403,
      'configmaps "c" is forbidden: User "alice" cannot create resource "configmaps" in API group "" in the namespace "default"',
    ]);
    await alice(aConfigMap({ a: "1" }));
    expect((await alice(aConfigMap({ a: "2" }), { user })).status).toBe(200);
    // The apply variant of the update that creates the object.
    const lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l";
    expect((await server.put(lease, { metadata: { name: "l" } }, { user })).status).toBe(403);
  });

  test("if it forces a patch that is not an apply", async () => {
    await using server = await TestServer.start();
    const answer = await server.patch(`${configMapsPath}/c?force=true`, {});
    expect([answer.status, answer.json.message]).toEqual([
      422,
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    ]);
  });

  test("if managers would make an object too large", async () => {
    await using server = await TestServer.start();
    const data = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`${"k".repeat(240)}${i}`, ""]));
    const answers: number[] = [];
    for (const manager of ["a", "b", "c", "d", "e"]) {
      answers.push((await applyAs(server, manager, `${configMapsPath}/c`)(aConfigMap(data))).status);
    }
    expect(answers).toEqual([201, 200, 200, 413, 413]);
  });
});
