import { testDocumentedFile } from "@kintsugi/daemon/testing";
import { expect, test } from "vitest";
import { program } from "./program.ts";

const { readConfig } = program;

testDocumentedFile("csi-lab", program, { directory: "/var/lib/kintsugi-csi" });

const base = ["--directory", "/d", "--socket", "/s"];

test("a node name that leads out of the directory is rejected because the name is part of a path", () => {
  expect(readConfig([...base, "--node-name", "node-1"]).node).toMatchObject({ nodeId: "node-1", zone: "lab" });
  expect(() => readConfig([...base, "--node-name", "../x"])).toThrow("--node-name must be a node's name");
  expect(readConfig([...base, "--mode", "controller"]).node).toBeUndefined();
});
