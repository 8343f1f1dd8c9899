import { configAnnotations, type Pod } from "@kintsugi/api";
import { expect, test } from "vitest";
import { Mirrors } from "./mirrors.ts";
import { StoredPods } from "./node-pods.ts";
import { mirrorOf } from "./plan-static-pods.ts";
import { StaticPodRecord } from "./static-pod-record.ts";
import { staticPodOf } from "./static-pod.ts";

const text = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: c, image: busybox}]}\n";
const pod = staticPodOf({ path: "/manifests/web.yaml", text }, "n");
const { uid } = pod.metadata;
const withUid = (own: string, { metadata, spec }: Pod): Pod => ({ metadata: { ...metadata, uid: own }, spec });
const mirror = withUid("of-mirror", mirrorOf(pod, { name: "n", uid: "of-node" }));

/** The pods of a node for which the API has `stored`. */
function nodeWith(stored: readonly Pod[]) {
  const pods = {
    list: () => stored,
    find: ({ namespace, name }: { namespace?: string | undefined; name?: string | undefined }) =>
      stored.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    byIndex: (_: string, key: string) => stored.filter(({ metadata }) => metadata.uid === key),
  };
  const record = new StaticPodRecord();
  const mirrors = new Mirrors(pods, record);
  return { record, mirrors, stored: new StoredPods(pods, { record, mirrors }) };
}

test("a mirror shows a static pod as long as the node runs that pod", () => {
  const { record, stored } = nodeWith([mirror]);
  expect([stored.find(uid), stored.runtimeUidOf(mirror)]).toEqual([undefined, "of-mirror"]);
  record.add(pod);
  expect([stored.find(uid), stored.runtimeUidOf(mirror)]).toEqual([mirror, uid]);
  record.remove(uid);
  expect([stored.find(uid), stored.runtimeUidOf(mirror)]).toEqual([undefined, "of-mirror"]);
});

test("a mirror of a removed static pod does not represent a later pod", () => {
  const { record, mirrors, stored } = nodeWith([mirror]);
  record.add(pod);
  mirrors.retire(uid);
  record.remove(uid);
  record.add(pod);
  expect(stored.find(uid)).toBe(undefined);
});

test.each<[string, Pod]>([
  ["of another name", { ...mirror, metadata: { ...mirror.metadata, name: "claims" } }],
  ["of another namespace", { ...mirror, metadata: { ...mirror.metadata, namespace: "mine" } }],
  [
    "with the hash of another manifest",
    { ...mirror, metadata: { ...mirror.metadata, annotations: { [configAnnotations.mirror]: "other" } } },
  ],
  ["without the annotation", { ...mirror, metadata: { ...mirror.metadata, annotations: {} } }],
])("a pod %s is not a mirror of the static pod", (_, claiming) => {
  const { record, stored } = nodeWith([claiming]);
  record.add(pod);
  expect([stored.find(uid), stored.runtimeUidOf(claiming)]).toEqual([undefined, "of-mirror"]);
});
