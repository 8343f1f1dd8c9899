import { createAuthority } from "@kintsugi/pki";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";

const authority = async (name: string) =>
  (await createAuthority({ clock: systemClock, random: systemRandom }, name)).certificate;

const path = "/apis/certificates.k8s.io/v1beta1/clustertrustbundles";

test("a bundle of a signer begins with its name, and needs the permission to attest for it", async () => {
  await using server = await TestServer.start();
  const trustBundle = await authority("a");
  const bundle = (name: string, signerName?: string) => ({ metadata: { name }, spec: { signerName, trustBundle } });
  expect((await server.post(path, bundle("all"))).status).toBe(201);
  const signer = "example.com/signer";
  for (const [name, signerName] of [
    ["a:b", undefined],
    ["other", signer],
    ["../x:y", signer],
  ] as const) {
    expect((await server.post(path, bundle(name, signerName))).status).toBe(422);
  }
  await server.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", {
    metadata: { name: "bundles" },
    rules: [{ apiGroups: ["certificates.k8s.io"], resources: ["clustertrustbundles"], verbs: ["create", "update"] }],
  });
  await server.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: "bundles" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "bundles" },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "jane" }],
  });
  const jane = { user: { name: "jane", groups: ["system:authenticated"] } };
  expect((await server.post(path, bundle("mine"), jane)).status).toBe(201);
  const attested = bundle("example.com:signer:x", signer);
  const refused = await server.post(path, attested, jane);
  expect([refused.status, refused.json.message]).toEqual([
    403,
    expect.stringContaining('user not permitted to attest for signerName "example.com/signer"'),
  ]);
  expect((await server.post(path, attested)).status).toBe(201);
  const list = await server.get(`${path.replace("v1beta1", "v1alpha1")}?fieldSelector=spec.signerName=${signer}`);
  expect(list.json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual([
    "example.com:signer:x",
  ]);
});

test("a candidate for a Lease has comparable versions", async () => {
  await using server = await TestServer.start();
  const candidates = "/apis/coordination.k8s.io/v1beta1/namespaces/kube-system/leasecandidates";
  const candidate = (name: string, spec: object) => ({ metadata: { name }, spec });
  const good = {
    leaseName: "l",
    binaryVersion: "1.34.0",
    emulationVersion: "1.33.0",
    strategy: "OldestEmulationVersion",
  };
  expect((await server.post(candidates, candidate("a", good))).status).toBe(201);
  const { json } = await server.post(
    candidates,
    candidate("b", { ...good, emulationVersion: "1.35.0", strategy: "Any" }),
  );
  expect(json.details.causes.map(({ field }: { field: string }) => field)).toEqual([
    "spec.binaryVersion",
    "spec.strategy",
  ]);
});

test("paths that begin with watch/ are watches, of a list or of one object", async () => {
  await using server = await TestServer.start();
  const maps = "/api/v1/namespaces/default/configmaps";
  const all = await server.watch("/api/v1/watch/configmaps");
  const one = await server.watch("/api/v1/watch/namespaces/default/configmaps/b");
  for (const name of ["a", "b"]) await server.post(maps, { metadata: { name } });
  const named = async (watch: typeof all) => {
    for (;;) {
      const event = await watch.next();
      const name: string = event?.object.metadata.name;
      if (event === undefined || ["a", "b"].includes(name)) return name;
    }
  };
  expect([await named(all), await named(all), await named(one)]).toEqual(["a", "b", "b"]);
  all.stop();
  one.stop();
  const jane = { user: { name: "jane", groups: ["system:authenticated"] } };
  const refused = await server.get("/api/v1/watch/secrets", jane);
  expect(refused.json.message).toContain('cannot watch resource "secrets"');
  // Requests without a query share one object, which the paths above do not change.
  expect((await server.get(maps)).json.kind).toBe("ConfigMapList");
});
