import { expect, test } from "vitest";
import { planMirrors, planStaticPods } from "./plan-static-pods.ts";
import { staticPodOf } from "./static-pod.ts";

const manifest = (text: string) => ({ path: "/manifests/web.yaml", text });
const web = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: c, image: busybox}]}\n";

test("a manifest becomes a complete pod that is named after its node and bound to it", () => {
  const pod = staticPodOf(manifest(web), "node-1");
  const { uid } = pod.metadata;
  expect(uid).toMatch(/^[0-9a-f]{32}$/);
  expect(pod.metadata).toMatchObject({
    name: "web-node-1",
    namespace: "default",
    annotations: { "kubernetes.io/config.hash": uid, "kubernetes.io/config.source": "file" },
  });
  expect(pod.spec).toMatchObject({
    nodeName: "node-1",
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    tolerations: [{ operator: "Exists", effect: "NoExecute" }],
  });
  expect(staticPodOf(manifest(web), "node-1").metadata.uid).toBe(uid);
  expect(staticPodOf(manifest(web.replace("spec: {", "spec: {hostNetwork: true, ")), "n").metadata.uid).not.toBe(uid);
});

test.each([
  ["", "it is not a Pod of v1: apiVersion missing, kind missing"],
  ["apiVersion: apps/v1\nkind: ReplicaSet", 'it is not a Pod of v1: apiVersion "apps/v1", kind "ReplicaSet"'],
  ["a: [", /./],
  [web.replace("image: busybox", "image: 7"), /json: cannot unmarshal number into Go struct field/],
  [web.replace("{name: c, image: busybox}", ""), /spec.containers: Required value/],
  [web.replace("metadata: {name: web}", "metadata: {}"), /metadata.name: Required value/],
  [web.replace("spec: {", "spec: {serviceAccountName: admin, "), "static pods may not reference serviceaccounts"],
  [
    web.replace("spec: {", "spec: {volumes: [{name: v, secret: {secretName: s}}], "),
    "static pods may not reference secrets",
  ],
])("manifest %j is rejected", (text, because) => {
  expect(() => staticPodOf(manifest(text), "node-1")).toThrow(because);
});

const pod = (name: string, uid: string) => {
  const made = staticPodOf(manifest(web.replace("name: web", `name: ${name}`)), "n");
  return { ...made, metadata: { ...made.metadata, uid } };
};
const mirror = (name: string, of: string, deleted = false) => ({
  metadata: {
    name: `${name}-n`,
    namespace: "default",
    uid: `mirror-of-${of}`,
    annotations: { "kubernetes.io/config.mirror": of },
    ...(deleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
  },
});

test("a changed manifest's pod starts when the earlier pod has stopped", () => {
  const [before, after] = [pod("web", "1"), pod("web", "2")];
  const names = ({ begin, end }: ReturnType<typeof planStaticPods>) => ({
    begin: begin.map(({ metadata }) => metadata.uid),
    end: end.map(({ metadata }) => metadata.uid),
  });
  expect(names(planStaticPods([after], [before]))).toEqual({ begin: [], end: ["1"] });
  expect(names(planStaticPods([after], []))).toEqual({ begin: ["2"], end: [] });
  expect(names(planStaticPods([before], [before]))).toEqual({ begin: [], end: [] });
});

test.each([
  ["is missing", [pod("web", "1")], [], ["create web-n"]],
  ["is there", [pod("web", "1")], [mirror("web", "1")], []],
  ["was deleted", [pod("web", "1")], [mirror("web", "1", true)], ["delete mirror-of-1"]],
  ["shows an older manifest", [pod("web", "2")], [mirror("web", "1")], ["delete mirror-of-1"]],
  ["has no pod", [], [mirror("web", "1")], ["delete mirror-of-1"]],
  ["has the name of an ordinary pod", [pod("web", "1")], [{ metadata: { name: "web-n", namespace: "default" } }], []],
])("a mirror that %s", (_, begun, stored, actions) => {
  const texts = planMirrors(begun, stored).map((action) =>
    action.kind === "create" ? `create ${action.pod.metadata.name}` : `delete ${action.mirror.metadata.uid}`,
  );
  expect(texts).toEqual(actions);
});
