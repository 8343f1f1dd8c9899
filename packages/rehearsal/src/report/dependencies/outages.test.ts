import { expect, test } from "vitest";
import type { Answer, WorkloadAnswer } from "../../outcomes/summarize.ts";
import { makePicture } from "../../picture/make-picture.ts";
import { nodesFromFlag } from "../../source/nodes-flag.ts";
import type { RawObject } from "../../source/raw-object.ts";
import { dependencyOutages } from "./outages.ts";

function pod(name: string, namespace = "shop"): RawObject {
  const labels = { app: name.split("-")[0] ?? "" };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, uid: name, labels },
    spec: { nodeName: "a", containers: [{ name: "c", image: "i" }] },
  };
}

function service(name: string, namespace = "shop", app = name): RawObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace },
    spec: { selector: { app }, ports: [{ port: 80 }] },
  };
}

const webhook: RawObject = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "guard" },
  webhooks: [
    {
      name: "guard.example.com",
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      clientConfig: { service: { name: "guard", namespace: "shop" } },
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
    },
  ],
};

/** Workloads that are down for several seconds, or forever. */
function outagesOf(objects: readonly RawObject[], down: Readonly<Record<string, number>>): string[] {
  const workloads = Object.entries(down).map(([workload, seconds]): WorkloadAnswer => {
    const isEndless = seconds === Infinity;
    const ms = isEndless ? 60_000 : 1000 * seconds;
    const spread = { p50: ms, p95: ms, worst: ms };
    const shares = { downAtEnd: isEndless ? 1 : 0, degradedAtEnd: 0, belowBudgetAtEnd: 0 };
    const rest = { kind: "Pod", before: 1, fewest: 0, chain: [], ...shares };
    return { workload, ...rest, downtime: spread, degraded: spread, belowBudget: spread };
  });
  const answer = { question: { kind: "nodes-off", about: "node a goes off", nodes: ["a"] }, workloads };
  const picture = makePicture({
    name: "f",
    objects: [...nodesFromFlag("1x4cpu16Gi"), ...objects],
    listed: [],
    isWhole: true,
  });
  return dependencyOutages(picture, [answer as unknown as Answer]);
}

test("the name servers, a webhook and a Service of a lost workload do not answer", () => {
  const objects = [
    pod("dns-1", "kube-system"),
    service("kube-dns", "kube-system", "dns"),
    ...["guard", "web", "idle"].flatMap((name) => [pod(`${name}-1`), service(name)]),
    webhook,
  ];
  const down = { "kube-system/pod/dns-1": 30, "shop/pod/guard-1": Infinity, "shop/pod/web-1": 351 };
  expect(outagesOf(objects, down)).toEqual([
    "if node a goes off: DNS (kube-system/kube-dns) is down for 30s: names are not resolved, so programs do not find each other",
    "if node a goes off: webhook guard.example.com is down forever, and it fails closed: requests for pods are rejected",
    "if node a goes off: service shop/web lacks endpoints for 5m51s",
  ]);
});

test("a Service answers while one of its workloads does", () => {
  const objects = [pod("web-1"), pod("web-2"), service("web")];
  expect(outagesOf(objects, { "shop/pod/web-1": 351 })).toEqual([]);
  expect(outagesOf(objects, { "shop/pod/web-1": 351, "shop/pod/web-2": 60 })).toEqual([
    "if node a goes off: service shop/web lacks endpoints for up to 1m",
  ]);
});
