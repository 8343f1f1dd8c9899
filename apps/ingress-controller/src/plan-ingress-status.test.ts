import { expect, test } from "vitest";
import { planIngressStatus } from "./plan-ingress-status.ts";
import { aClass, anIngress } from "./testing/builders.ts";

const classes = [aClass(), aClass("other", "example.com/other")];
const withPoints = (name: string | undefined, ingress: object[]) => ({
  ...anIngress("web", { ingressClassName: name }),
  status: { loadBalancer: { ingress } },
});
const own = [{ ip: "192.0.2.1" }];

test.each([
  ["ours without a point gets one", withPoints("kintsugi", []), own],
  ["ours with another's point gets ours", withPoints("kintsugi", [{ hostname: "lb.example" }]), own],
  ["ours is written once", withPoints("kintsugi", own), undefined],
  ["one that lost its class loses its point", withPoints("gone", own), []],
  ["one of another controller keeps what it has", withPoints("other", own), undefined],
  ["one without a class keeps a point of others", withPoints(undefined, [{ ip: "192.0.2.9" }]), undefined],
])("%s", (_what, ingress, points) => {
  expect(planIngressStatus(ingress, classes, "192.0.2.1")).toEqual(points);
});

test("a balancer's name is reported as a hostname", () => {
  expect(planIngressStatus(withPoints("kintsugi", []), classes, "lb.example")).toEqual([{ hostname: "lb.example" }]);
});
