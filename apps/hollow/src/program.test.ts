import { expect, test } from "vitest";
import { program } from "./program.ts";

const { readConfig } = program;

test("a node has 256 addresses, or as many as it and its pods need", () => {
  const rangesOf = (...flags: string[]) =>
    readConfig(["--kubeconfig", "/k", "--nodes", "2", ...flags]).kubelets.map(({ podCidr }) => podCidr);
  expect(rangesOf()).toEqual(["100.64.1.0/24", "100.64.2.0/24"]);
  expect(rangesOf("--max-pods", "254")).toEqual(["100.64.1.0/24", "100.64.2.0/24"]);
  expect(rangesOf("--max-pods", "255")).toEqual(["100.64.2.0/23", "100.64.4.0/23"]);
  expect(rangesOf("--max-pods", "1110")).toEqual(["100.64.8.0/21", "100.64.16.0/21"]);
});

test("a network that is too small for the nodes and their pods is rejected with a remedy", () => {
  const read = () =>
    readConfig(["--kubeconfig", "/k", "--nodes", "100", "--pod-network", "10.0.0.0/16", "--max-pods", "1000"]);
  expect(read).toThrow(
    "--pod-network 10.0.0.0/16 has room for the nodes 1 to 63 of 1024 addresses each, not for 100: use a larger network, fewer nodes, or fewer --max-pods",
  );
});
