import { describe, expect, test } from "vitest";
import { makePicture } from "../picture/make-picture.ts";
import type { RawObject } from "../source/raw-object.ts";
import { questionsAbout } from "./make-questions.ts";
import { silentDependencies } from "./silent-webhooks.ts";

function aNode(name: string, labels: Record<string, string> = {}): RawObject {
  const conditions = [{ type: "Ready", status: "True" }];
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels }, status: { conditions } };
}

function aPod(name: string, nodeName: string): RawObject {
  const spec = { nodeName, containers: [{ name: "c", image: "i" }] };
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "shop" }, spec };
}

const webhooks: RawObject = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "policy" },
  webhooks: ["a", "b"].map((path) => ({
    name: `${path}.example.com`,
    clientConfig: { service: { namespace: "policy", name: "policy", path: `/${path}` } },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  })),
};

const pictureOf = (...objects: RawObject[]) => makePicture({ name: "f", objects, listed: [], isWhole: false });

describe("questions about pools", () => {
  const ofPools = (...nodes: RawObject[]) =>
    questionsAbout(pictureOf(...nodes), "pool", []).map(({ about, ...deed }) => [about, "nodes" in deed && deed.nodes]);

  test("follow the labels of clouds", () => {
    const label = "cloud.google.com/gke-nodepool";
    expect(
      ofPools(aNode("a", { [label]: "big" }), aNode("b", { [label]: "small" }), aNode("c", { [label]: "big" })),
    ).toEqual([
      ["pool big fails", ["a", "c"]],
      ["pool small fails", ["b"]],
    ]);
  });

  test("follow roles if no node has a pool label", () => {
    const worker = { "node-role.kubernetes.io/worker": "" };
    expect(ofPools(aNode("a", worker), aNode("b", worker), aNode("c"))).toEqual([["pool worker fails", ["a", "b"]]]);
  });

  test("name the labels that were searched if no label exists", () => {
    expect(() => ofPools(aNode("a"))).toThrow(/no node has a pool label \(karpenter\.sh\/nodepool/);
  });
});

test("the control plane is down in parts, as a whole, and while the node with the most pods fails", () => {
  const picture = pictureOf(aNode("a"), aNode("b"), aPod("x", "b"), aPod("y", "b"), aPod("z", "a"));
  const questions = questionsAbout(picture, "control-plane", []);
  expect(questions.map(({ about }) => about)).toEqual([
    "the api-server is down for 10 min",
    "the scheduler is down for 10 min",
    "the controller-manager is down for 10 min",
    "the whole control plane is down for 10 min",
    "the control plane is down for 10 min, and node b fails after 1 min",
  ]);
  expect(questions.at(-1)).toMatchObject({ faults: [{}, {}, {}, { fault: "kill-node", target: "b", stays: true }] });
});

describe("dependencies that do not answer", () => {
  const picture = pictureOf(aNode("a"), webhooks);

  test.each([
    ["webhook/a.example.com", ["https://policy.policy.svc:443/a"]],
    ["webhook/policy", ["https://policy.policy.svc:443/a", "https://policy.policy.svc:443/b"]],
    ["service/policy/policy", ["https://policy.policy.svc:443/a", "https://policy.policy.svc:443/b"]],
  ])("%s has its addresses", (text, addresses) => {
    expect(silentDependencies(picture, text).addresses).toEqual(addresses);
  });

  test.each([
    ["policy", /write webhook\/NAME or service\/NAMESPACE\/NAME/],
    ["webhook/nosuch", /there is no such webhook; there are webhook\/a\.example\.com, webhook\/b\.example\.com/],
    ["service/shop/web", /this Service serves no webhook; there are service\/policy\/policy/],
  ])("%s is rejected with one sentence", (text, sentence) => {
    expect(() => silentDependencies(picture, text)).toThrow(sentence);
  });

  test("a source without webhooks has no question about webhooks", () => {
    expect(() => silentDependencies(pictureOf(aNode("a")), "webhook/a")).toThrow(/the source contains no webhook/);
  });
});
