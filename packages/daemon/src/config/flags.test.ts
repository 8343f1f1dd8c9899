import { expect, test } from "vitest";
import { flag } from "./flag.ts";
import { FlagError, HelpRequested, readFlags } from "./flags.ts";

const program = { name: "kube-example", description: "An example." };
const table = {
  "secure-port": flag.number({ help: "Port to serve on.", fallback: 10259 }),
  kubeconfig: flag.text({ help: "How to reach the API.", required: true }),
  "node-monitor-grace-period": flag.durationMs({ help: "Silence allowed.", fallback: 40_000 }),
  "leader-elect": flag.boolean({ help: "Elect a leader.", fallback: true }),
  "node-labels": flag.list({ help: "Labels." }),
};

test("flags are read by type, with fallbacks", () => {
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
])("a wrong command line %j says what to do", (argv, message) => {
  expect(() => readFlags(program, table, argv)).toThrow(FlagError);
  expect(() => readFlags(program, table, argv)).toThrow(message);
});

test("help lists every flag with its default", () => {
  const help = helpOf(() => readFlags(program, table, ["--help"]));
  expect(help).toContain("--node-monitor-grace-period <duration>");
  expect(help).toContain("(default 40s)");
  expect(help).toContain("(required)");
});

function helpOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof HelpRequested) return error.message;
  }
  throw new Error("no help was thrown");
}
