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
  ["an Ingress of this controller without an address gets an address", withPoints("kintsugi", []), own],
  [
    "an Ingress of this controller with another address gets this controller's address",
    withPoints("kintsugi", [{ hostname: "lb.example" }]),
    own,
  ],
  ["the controller's address is written once", withPoints("kintsugi", own), undefined],
  ["an Ingress that lost its class loses its address", withPoints("gone", own), []],
  ["an Ingress of another controller keeps its address", withPoints("other", own), undefined],
  [
    "an Ingress without a class keeps the address that another controller has written",
    withPoints(undefined, [{ ip: "192.0.2.9" }]),
    undefined,
  ],
])("%s", (_what, ingress, points) => {
  expect(planIngressStatus(ingress, classes, "192.0.2.1")).toEqual(points);
});

test("a balancer's name is reported as a hostname", () => {
  expect(planIngressStatus(withPoints("kintsugi", []), classes, "lb.example")).toEqual([{ hostname: "lb.example" }]);
});
