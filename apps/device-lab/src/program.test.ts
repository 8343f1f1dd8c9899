import { testDocumentedFile } from "@kintsugi/daemon/testing";
import { expect, test } from "vitest";
import { program } from "./program.ts";

const { readConfig } = program;

testDocumentedFile("device-lab", program, { directory: "/var/lib/kintsugi-devices" });

const base = ["--kubeconfig", "/k", "--directory", "/d", "--socket", "/s", "--registration-socket", "/r"];
const named = [...base, "--node-name", "node-1"];

test("devices are counted and described, and names that are not safe in a path are rejected", () => {
  expect(readConfig([...named, "--devices", "3", "--memory", "2048Mi"])).toMatchObject({ count: 3, memory: "2Gi" });
  expect(() => readConfig([...base, "--node-name", "../x"])).toThrow("--node-name must be a name");
  expect(() => readConfig([...named, "--driver-name", "a/b"])).toThrow("--driver-name must be a name");
  expect(() => readConfig([...named, "--devices", "1025"])).toThrow("--devices must be at most 1024, not 1025");
  expect(() => readConfig([...named, "--memory", "much"])).toThrow("--memory must be a quantity");
});
