import { expect, test } from "vitest";
import { podsResolvConf } from "./docker-dns.ts";

test("if the node queries Docker's DNS, pods with the node's resolver query the node", () => {
  expect(podsResolvConf("search lan\nnameserver 127.0.0.11\noptions ndots:0\n", "10.64.0.11")).toBe(
    "search lan\nnameserver 10.64.0.11\noptions ndots:0\n",
  );
});

test("on any other machine pods query the node's servers", () => {
  expect(podsResolvConf("nameserver 192.0.2.53\n", "10.64.0.11")).toBeUndefined();
});
