import { testDocumentedFile } from "@kintsugi/daemon/testing";
import { expect, test } from "vitest";
import { program } from "./program.ts";

const { readConfig } = program;

testDocumentedFile("cloud-lab", program, { directory: "/var/lib/kintsugi-cloud" });

test.each([
  ["10.0.0.9-10.0.0.1", /lowest first/],
  ["10.0.0.1-10.0.1.1", /1 to 64 addresses/],
  ["10.0.0.1", /is not an address range/],
])("the range %s is rejected", (range, why) => {
  const argv = ["--directory=/d", "--socket=/s", "--supervisor-socket=/v", `--balancer-addresses=${range}`];
  expect(() => readConfig(argv)).toThrow(why);
});
