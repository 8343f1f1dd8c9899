import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { asMapping, flag, inSeconds } from "./flag.ts";
import { FlagError, readFlags } from "./read-flags.ts";

const directory = mkdtempSync(join(tmpdir(), "kintsugi-config-"));
afterAll(() => rmSync(directory, { recursive: true }));

const program = {
  name: "example",
  description: "An example.",
  file: { apiVersion: "example.dev/v1", kind: "ExampleConfiguration" },
};
const table = {
  "secure-port": flag.port({ help: "Port", fallback: 10259 }),
  kubeconfig: flag.path({ help: "How to reach the API", required: true }),
  "lease-duration": flag.durationMs({ help: "Lease", fallback: 40_000, key: "leaderElection.leaseDuration" }),
  "retry-seconds": flag.durationMs({
    help: "Retry",
    fallback: 2000,
    key: "leaderElection.retrySeconds",
    form: inSeconds,
  }),
  "leader-elect": flag.boolean({ help: "Elect", fallback: true, key: "leaderElection.leaderElect" }),
  "node-labels": flag.list({ help: "Labels", form: asMapping }),
  "nats-server": flag.list({ help: "Servers" }),
  profile: flag.choice(["default", "fast"], { help: "Timers", fallback: "default" }),
};
const head = "apiVersion: example.dev/v1\nkind: ExampleConfiguration\n";

function read(text: string, ...flags: string[]) {
  const file = join(directory, "example.yaml");
  writeFileSync(file, text);
  return readFlags(program, table, ["--config", file, ...flags]);
}

test("a file holds the flags' values, in groups and in its own forms, and a flag overrides it", () => {
  const text = `${head}
securePort: 1
kubeconfig: /etc/k
leaderElection: { leaseDuration: 1m30s, retrySeconds: 3, leaderElect: false }
nodeLabels: { zone: a, rank: 2 }
natsServer: [tls://a, tls://b]
profile: fast
`;
  expect(read(text, "--secure-port=2")).toEqual({
    "secure-port": 2,
    kubeconfig: "/etc/k",
    "lease-duration": 90_000,
    "retry-seconds": 3000,
    "leader-elect": false,
    "node-labels": ["zone=a", "rank=2"],
    "nats-server": ["tls://a", "tls://b"],
    profile: "fast",
  });
});

test("a relative path is resolved from the file's directory", () => {
  expect(read(`${head}kubeconfig: pki/k\n`).kubeconfig).toBe(join(directory, "pki/k"));
});

test.each([
  ["securePrt: 1\n", ':3:1: ExampleConfiguration: unknown word "securePrt"; did you mean "securePort"?'],
  ["secure-port: 1\n", 'unknown word "secure-port"; did you mean "securePort"?'],
  [
    "leaderElection: { leaseDuraton: 1s }\n",
    ':3:19: leaderElection: unknown word "leaseDuraton"; did you mean "leaseDuration"?',
  ],
  ['securePort: "many"\n', ':3:13: securePort: "many" is not a number'],
  [
    "leaderElection: { leaseDuration: 40 }\n",
    ':3:34: leaderElection.leaseDuration: "40" is not a duration; write for example',
  ],
  ["securePort: 70000\n", ":3:13: securePort: 70000 is not a whole number from 0 to 65535"],
  ["profile: fats\n", 'profile: unknown word "fats"; did you mean "fast"?'],
  ["natsServer: tls://a\n", 'natsServer: "tls://a" is not a list'],
  ["securePort: [\n", ":4:1:"],
])("%j is rejected with its place and the right form", (text, message) => {
  expect(() => read(`${head}${text}`)).toThrow(FlagError);
  expect(() => read(`${head}${text}`)).toThrow(message);
});

test("a file of another kind, an empty file, and a file without a required field are rejected", () => {
  expect(() => read("apiVersion: example.dev/v1\nkind: Pod\n")).toThrow(
    ':2:7: kind: unknown word "Pod"; known are ExampleConfiguration',
  );
  expect(() => readFlags(program, table, ["--config=/nowhere.yaml"])).toThrow("/nowhere.yaml: cannot be read: ENOENT");
  expect(() => read(head)).toThrow("--kubeconfig (or kubeconfig in the file of --config) is required");
});
