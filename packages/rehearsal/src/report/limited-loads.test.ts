import { expect, test } from "vitest";
import { makePicture } from "../picture/make-picture.ts";
import { objectsOf } from "../picture/picture.ts";
import { pods } from "@kintsugi/api";
import { nodesFromFlag } from "../source/nodes-flag.ts";
import type { RawObject } from "../source/raw-object.ts";
import type { Answer } from "../outcomes/summarize.ts";
import { limitedLoads } from "./limited-loads.ts";

const names = ["web-0", "web-1", "web-2"];
const owner = { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", uid: "web", controller: true };
const labels = { app: "web" };

function sourceOf(limits: object): RawObject[] {
  const containers = [{ name: "c", image: "i", resources: { limits } }];
  const template = { metadata: { labels }, spec: { containers } };
  const metadata = { name: "web", namespace: "shop", uid: "web" };
  const set = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata,
    spec: { selector: { matchLabels: labels }, template },
  };
  return [
    ...nodesFromFlag("3x4cpu16Gi"),
    set,
    ...names.flatMap((name): RawObject[] => [
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, namespace: "shop", uid: name, ownerReferences: [owner] },
        spec: { nodeName: "node-1", containers },
      },
      {
        apiVersion: "metrics.k8s.io/v1beta1",
        kind: "PodMetrics",
        metadata: { name, namespace: "shop" },
        timestamp: "2026-03-01T10:00:00Z",
        window: "15s",
        containers: [{ name: "c", usage: { cpu: "400m", memory: "20Mi" } }],
      },
    ]),
  ];
}

const answer = (fewest: number) =>
  ({
    question: { about: "node node-1 fails" },
    workloads: [{ workload: "shop/statefulset/web", before: 3, fewest }],
  }) as unknown as Answer;

test("pods whose share of the usage is above their limit are named, by the metrics API", () => {
  const picture = makePicture({ name: "f", objects: sourceOf({ cpu: "1" }), listed: [], isWhole: false });
  expect(objectsOf(picture, pods)).toHaveLength(3);
  expect(limitedLoads(picture, [answer(1), answer(2)])).toEqual([
    "if node node-1 fails: 1 pod of shop/statefulset/web remains and needs 1200m of cpu each, by the usage in the metrics, above their limit of 1000m",
  ]);
});

test("pods without a limit, and answers without a loss, are not named", () => {
  const picture = makePicture({ name: "f", objects: sourceOf({}), listed: [], isWhole: false });
  expect(limitedLoads(picture, [answer(1)])).toEqual([]);
  const limited = makePicture({ name: "f", objects: sourceOf({ cpu: "1" }), listed: [], isWhole: false });
  expect(limitedLoads(limited, [answer(3), answer(0)])).toEqual([]);
});
