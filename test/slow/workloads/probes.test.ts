import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually } from "../../support/run-program.ts";

const lacking = whyNoKubectlCluster();

/** gRPC's health service in a few lines: SERVING for two seconds, NOT_SERVING from then on. */
const healthServer = `
const startedMs = Date.now();
require("node:http2").createServer().on("stream", (stream) => {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(Buffer.from([0, 0, 0, 0, 2, 8, Date.now() - startedMs < 2000 ? 1 : 2]));
}).listen(5000);`;

function podManifest(name: string, command: readonly string[], extra: { container?: string; spec?: string }): string {
  return `apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  terminationGracePeriodSeconds: 1
${extra.spec ?? ""}
  containers:
  - name: c
    image: busybox:1
    command: ${JSON.stringify(command)}
${extra.container ?? ""}`;
}

describe.skipIf(sayWhyNot("probes", lacking))("a probe on a real node", () => {
  let cluster: LabCluster;
  const container = async (name: string) => (await cluster.get("pod", name)).status.containerStatuses?.[0];
  const eventsOf = (name: string) =>
    cluster.kubectl("get", "events", "--field-selector", `involvedObject.name=${name}`, "-o", "wide");

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "probes", nodes: 1 });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test("over grpc detects a service that stops serving, and restarts its container", async () => {
    // The node's own Node.js, with the node's files, because the images here have no gRPC.
    const command = ["chroot", "/host", process.execPath, "-e", healthServer];
    const probe = "grpc: {port: 5000}, periodSeconds: 1, failureThreshold: 1";
    await cluster.apply(
      podManifest("grpc", command, {
        container: `    startupProbe: {grpc: {port: 5000}, periodSeconds: 1, failureThreshold: 60}
    livenessProbe: {${probe}}
    volumeMounts: [{name: host, mountPath: /host, readOnly: true}]`,
        spec: "  volumes: [{name: host, hostPath: {path: /}}]",
      }),
    );
    await eventually("grpc has started", async () => (await container("grpc"))?.ready === true);
    await eventually("grpc was restarted", async () => ((await container("grpc"))?.restartCount ?? 0) >= 1);
    const events = await eventsOf("grpc");
    expect(events).toMatch(/Unhealthy .*Liveness probe failed: service unhealthy \(responded with "NOT_SERVING"\)/);
    expect(events).toMatch(/Killing .*Container c failed liveness probe, will be restarted/);
  });

  test("keeps its results over a restart of the kubelet: no status changes", async () => {
    const probe = "exec: {command: [cat, /tmp/well]}, periodSeconds: 1";
    await cluster.apply(
      podManifest("kept", ["sh", "-c", "touch /tmp/well; sleep 1d"], {
        container: `    readinessProbe: {${probe}}\n    startupProbe: {${probe}}`,
      }),
    );
    await eventually("kept is ready", async () => (await container("kept"))?.ready === true);
    const before = await cluster.get("pod", "kept");
    const watching = cluster.tryKubectl(
      ["get", "pod", "kept", "--watch-only", "--no-headers", "--request-timeout=4s"],
      { timeoutMs: 6_000 },
    );
    await cluster.kintsugi("node", "stop-kubelet", "node-1");
    await cluster.kintsugi("node", "start-kubelet", "node-1");
    expect((await watching).stdout).not.toContain("0/1");
    expect((await cluster.get("pod", "kept")).status.conditions).toEqual(before.status.conditions);
    expect((await container("kept"))?.restartCount).toBe(0);
  });

  test("that fails has its own grace period, and readiness gates wait for other writers", async () => {
    const stubborn = "trap '' TERM; while true; do sleep 1; done";
    await cluster.apply(
      podManifest("graceful", ["sh", "-c", stubborn], {
        container: `    livenessProbe: {httpGet: {port: 81}, periodSeconds: 1, failureThreshold: 1, terminationGracePeriodSeconds: 2}`,
        spec: "  readinessGates: [{conditionType: example.com/lb}]",
      }).replace("terminationGracePeriodSeconds: 1", "terminationGracePeriodSeconds: 600"),
    );
    await eventually("graceful runs", async () => (await container("graceful"))?.state.running !== undefined);
    expect(await cluster.kubectl("get", "pod", "graceful", "-o", "wide")).toMatch(/ 0\/1\s*$/m);
    const ended = await eventually("its end", async () => (await container("graceful"))?.lastState.terminated);
    expect(ended).toMatchObject({ exitCode: 137, reason: "Error" });
    expect(await eventsOf("graceful")).toMatch(
      /Unhealthy .*Liveness probe failed: Get "http:\/\/[\d.]+:81\/": dial tcp [\d.]+:81: connect: connection refused/,
    );
    const condition = { type: "example.com/lb", status: "True" };
    await cluster.kubectl(
      "patch",
      "pod",
      "graceful",
      "--subresource=status",
      "-p",
      JSON.stringify({ status: { conditions: [condition] } }),
    );
    await eventually("the gate is open", async () =>
      / 1\/1\s*$/m.test(await cluster.kubectl("get", "pod", "graceful", "-o", "wide")),
    );
  });

  test("that fails runs the container's http hook at its end, and a failing http hook ends the container", async () => {
    // The container prints everything that arrives on the pod's address.
    const ear = `  - name: ear
    image: busybox:1
    command: ["sh", "-c", "nc -l -p 8080 </dev/null; sleep 1d"]
`;
    const probe = "exec: {command: [test, -e, /alive]}, periodSeconds: 1, failureThreshold: 1";
    const parting = podManifest("parting", ["sh", "-c", "touch /alive; sleep 2; rm /alive; sleep 1d"], {
      container: `    livenessProbe: {${probe}, terminationGracePeriodSeconds: 2}
    lifecycle: {preStop: {httpGet: {port: 8080, path: /bye, httpHeaders: [{name: X-Who, value: parting}]}}}
${ear}`,
    });
    await cluster.apply(parting);
    const hook = "lifecycle: {postStart: {httpGet: {port: 81, path: /hello}}}";
    await cluster.apply(podManifest("unheard", ["sleep", "1d"], { container: `    ${hook}` }));
    const heard = await eventually("its goodbye", async () => {
      const { stdout } = await cluster.tryKubectl(["logs", "parting", "-c", "ear"]);
      return stdout !== "" && stdout;
    });
    expect(heard).toMatch(/^GET \/bye HTTP\/1\.1\r?\n/);
    expect(heard).toMatch(/^X-Who: parting\r?$/im);
    expect(heard).toMatch(/^User-Agent: kube-lifecycle\//im);
    await eventually("it was restarted", async () => ((await container("parting"))?.restartCount ?? 0) >= 1);
    const events = await eventually("the hook's failure", async () => {
      const told = await eventsOf("unheard");
      return told.includes("FailedPostStartHook") && told;
    });
    expect(events).toMatch(/FailedPostStartHook .*PostStartHook failed/);
    expect(await container("unheard")).toMatchObject({ ready: false });
  });
});
