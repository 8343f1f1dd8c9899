import { judgeEligibility, withDaemonTolerations } from "@kintsugi/rules";
import { describe, expect, test } from "vitest";
import { aNode } from "../../testing/test-cluster.ts";
import { anAgentTemplate } from "./testing/daemon-world.ts";

const [noSchedule, noExecute] = ["NoSchedule", "NoExecute"] as const;
const both = { run: true, stay: true };
const stays = { run: false, stay: true };
const neither = { run: false, stay: false };

function matching(label: string): object {
  const matchExpressions = [{ key: label, operator: "Exists" }];
  const required = { nodeSelectorTerms: [{ matchExpressions }] };
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } };
}

describe("a node and a template", () => {
  test.each([
    ["without taints", [], {}, both],
    ["that is cordoned", [{ key: "node.kubernetes.io/unschedulable", effect: noSchedule }], {}, both],
    ["that is unreachable", [{ key: "node.kubernetes.io/unreachable", effect: noExecute }], {}, both],
    ["that is not ready", [{ key: "node.kubernetes.io/not-ready", effect: noExecute }], {}, both],
    ["that joins and is not ready yet", [{ key: "node.kubernetes.io/not-ready", effect: noSchedule }], {}, stays],
    ["under pressure", [{ key: "node.kubernetes.io/disk-pressure", effect: noSchedule }], {}, both],
    ["without a network", [{ key: "node.kubernetes.io/network-unavailable", effect: noSchedule }], {}, stays],
    [
      "without a network, for a pod that brings it up",
      [{ key: "node.kubernetes.io/network-unavailable", effect: noSchedule }],
      { hostNetwork: true },
      both,
    ],
    ["with the effect PreferNoSchedule", [{ key: "a", effect: "PreferNoSchedule" as const }], {}, both],
    ["that is reserved", [{ key: "a", effect: noSchedule }], {}, stays],
    [
      "that is reserved for the template",
      [{ key: "a", effect: noSchedule }],
      { tolerations: [{ key: "a", operator: "Exists" }] },
      both,
    ],
    ["that evicts", [{ key: "a", effect: noExecute }], {}, neither],
    ["with the required label", [], { nodeSelector: { zone: "x" } }, both],
    ["with another label", [], { nodeSelector: { zone: "y" } }, neither],
    ["that the affinity requires", [], matching("zone"), both],
    ["that the affinity excludes", [], matching("rack"), neither],
    ["that the template names", [], { nodeName: "n" }, both],
    ["that the template does not name", [], { nodeName: "m" }, neither],
  ])("%s", (_name, taints, spec, expected) => {
    const node = aNode("n", { labels: { zone: "x" }, taints });
    expect(judgeEligibility(anAgentTemplate("i", spec), node)).toEqual(expected);
  });
});

test("a time limit of the template does not apply to the taints that daemon pods tolerate", () => {
  const key = "node.kubernetes.io/not-ready";
  const own = { key: "a", operator: "Exists" as const };
  const limited = { key, operator: "Exists" as const, effect: noExecute, tolerationSeconds: 30 };
  const tolerations = withDaemonTolerations({ tolerations: [own, limited] });
  expect(tolerations.slice(0, 2)).toEqual([own, { key, operator: "Exists", effect: noExecute }]);
  expect(tolerations).toHaveLength(7);
});
