import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findKubectls, sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../support/lab-cluster.ts";

const kubectls = [...findKubectls()];
const lacking = whyNoClusters() ?? (kubectls.length === 0 ? "there is no kubectl; name one in KUBECTL" : undefined);
sayWhyNot("what kubectl says to containers", lacking);

const pod = `apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - {name: c, image: "busybox:1.36", command: [sh, -c, "echo hello; exec sleep 3600"]}
`;

let cluster: LabCluster;
if (lacking === undefined) {
  beforeAll(async () => {
    cluster = await startLabCluster({ name: "serving", nodes: 1 });
    await cluster.apply(pod);
    await cluster.kubectl("wait", "--for=condition=Ready", "pod/p", "--timeout=30s");
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());
}

// The oldest speaks SPDY, the newest WebSocket.
describe.skipIf(lacking !== undefined).each(kubectls)("kubectl %s", (_version, program) => {
  const run = (args: readonly string[], input?: string) =>
    cluster.tryKubectl(args, { program, ...(input === undefined ? {} : { input }) });

  test("gives a command's output, errors and exit code", async () => {
    const result = await run(["exec", "p", "--", "sh", "-c", "echo out; echo err >&2; exit 3"]);
    expect(result).toMatchObject({ code: 3, stdout: "out\n" });
    expect(result.stderr).toBe("err\ncommand terminated with exit code 3\n");
  });

  test("tells a command when its input is over", async () => {
    expect(await run(["exec", "-i", "p", "--", "cat"], "one\ntwo\n")).toMatchObject({ code: 0, stdout: "one\ntwo\n" });
  });

  test("says so when there is no such command", async () => {
    const result = await run(["exec", "p", "--", "nope"]);
    expect(result.code).not.toBe(0);
    expect(result.stderr).toContain('exec: "nope": executable file not found in $PATH');
  });
});
