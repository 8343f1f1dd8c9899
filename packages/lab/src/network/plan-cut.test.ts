import { expect, test } from "vitest";
import { planCut } from "./plan-cut.ts";

const others = ["10.64.0.3", "10.64.0.4"];
const rulesOf = (text: string) => text.split("\n").filter((line) => line.startsWith("-A"));

test("a server without a cut lets all traffic through, whatever it had before", () => {
  expect(rulesOf(planCut(undefined, { others }))).toEqual([]);
  expect(planCut(undefined, { others })).toMatch(/^\*filter\n[^]*COMMIT\n$/);
});

test("a cut from etcd blocks only its clients, and leaves the members connected", () => {
  const rules = rulesOf(planCut("etcd", { others }));
  expect(rules).toEqual([
    "-A OUTPUT -p tcp -m tcp --dport 2379 -j DROP",
    "-A INPUT -p tcp -m tcp --sport 2379 -j DROP",
  ]);
});

test("a cut from the servers drops both directions of each, and nothing else", () => {
  expect(rulesOf(planCut("servers", { others }))).toEqual(
    others.flatMap((address) => [`-A OUTPUT -d ${address} -j DROP`, `-A INPUT -s ${address} -j DROP`]),
  );
});
