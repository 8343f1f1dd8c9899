import { describe, expect, test } from "vitest";
import { flag } from "./flag.ts";
import { FlagError, HelpRequested, readCommandLine, readFlags } from "./read-flags.ts";

const program = { name: "kube-example", description: "An example." };
const table = {
  "secure-port": flag.number({ help: "Port to serve on", fallback: 10259 }),
  kubeconfig: flag.text({ help: "How to reach the API", required: true }),
  "node-monitor-grace-period": flag.durationMs({ help: "Silence allowed", fallback: 40_000 }),
  "leader-elect": flag.boolean({ help: "Elect a leader", fallback: true }),
  "node-labels": flag.list({ help: "Labels" }),
};

test("flags are parsed by type, with defaults", () => {
  const values = readFlags(program, table, [
    "--kubeconfig=/k",
    "--node-monitor-grace-period",
    "1m30s",
    "--leader-elect=false",
    "--node-labels=a=b,c=d",
  ]);
  expect(values).toEqual({
    "secure-port": 10259,
    kubeconfig: "/k",
    "node-monitor-grace-period": 90_000,
    "leader-elect": false,
    "node-labels": ["a=b", "c=d"],
  });
  expect(readFlags(program, table, ["--kubeconfig", "/k", "--leader-elect"])["leader-elect"]).toBe(true);
});

test.each([
  [[], /--kubeconfig is required/],
  [["--kubeconfig=/k", "--secure-port=many"], /"many" is not a number/],
  [["--kubeconfig=/k", "--node-monitor-grace-period=40"], /"40" is not a duration; write for example/],
  [["--kubeconfig=/k", "--secure-prot=1"], /unknown option '--secure-prot=1'[\s\S]*--secure-port/],
  [["--kubeconfig=/k", "stray"], /too many arguments/],
])("a wrong command line %j is reported with a remedy", (argv, message) => {
  expect(() => readFlags(program, table, argv)).toThrow(FlagError);
  expect(() => readFlags(program, table, argv)).toThrow(message);
});

test("help lists every flag with its default", () => {
  const help = helpOf(() => readFlags(program, table, ["--help"]));
  expect(help).toContain("--node-monitor-grace-period <duration>");
  expect(help).toContain("(default 40s)");
  expect(help).toContain("(required)");
});

describe("numbers", () => {
  const numbers = {
    port: flag.port({ help: "Port", fallback: 1 }),
    nodes: flag.count({ help: "Nodes", min: 1 }),
    rate: flag.number({ help: "Rate", max: 1 }),
    score: flag.count({ help: "Score", min: -1000, max: 1000 }),
    pids: flag.count({ help: "Processes" }),
  };

  test("are parsed within their limits", () => {
    const argv = ["--port=65535", "--nodes=1", "--rate=0.5", "--score=-1000", "--pids=0"];
    expect(readFlags(program, numbers, argv)).toEqual({ port: 65_535, nodes: 1, rate: 0.5, score: -1000, pids: 0 });
  });

  test.each([
    ["--port=65536", '"65536" is not a whole number from 0 to 65535.'],
    ["--port=22.5", '"22.5" is not a whole number from 0 to 65535.'],
    ["--nodes=0", '"0" is not a whole number from 1 on.'],
    ["--rate=-0.1", '"-0.1" is not a number from 0 to 1.'],
    ["--score=1001", '"1001" is not a whole number from -1000 to 1000.'],
    ["--pids=-1", '"-1" is not a whole number from 0 on.'],
    ["--pids=1e999", '"1e999" is not a whole number from 0 on.'],
    ["--pids=", '"" is not a whole number from 0 on.'],
  ])("%s is rejected with the allowed values", (word, message) => {
    expect(() => readFlags(program, numbers, [word])).toThrow(message);
  });
});

describe("operands", () => {
  const words = { name: "section", help: "What to measure", many: true, known: ["store", "api"] };
  const taking = { ...program, operands: words };
  const switches = { json: flag.switch({ help: "As JSON" }), seed: flag.count({ help: "Seed of the random numbers" }) };

  test("are parsed next to flags, and a switch consumes no argument", () => {
    expect(readCommandLine(taking, switches, ["--json", "store", "--seed=1", "api"])).toEqual({
      flags: { json: true, seed: 1 },
      operands: ["store", "api"],
    });
    expect(readFlags(taking, switches, [])).toEqual({ json: false });
  });

  test("that are unknown are rejected with the nearest known word", () => {
    expect(() => readCommandLine(taking, switches, ["stor"])).toThrow(
      'there is no section "stor"; did you mean "store"?',
    );
    expect(() => readFlags(taking, switches, ["--json=yes"])).toThrow(FlagError);
  });

  test("are rejected if exactly one is allowed", () => {
    const one = { ...program, operands: { name: "file", help: "A file", many: false } };
    expect(readCommandLine(one, switches, ["a"]).operands).toEqual(["a"]);
    expect(() => readCommandLine(one, switches, ["a", "b"])).toThrow(/too many arguments/);
  });
});

function helpOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof HelpRequested) return error.message;
  }
  throw new Error("no help was thrown");
}
