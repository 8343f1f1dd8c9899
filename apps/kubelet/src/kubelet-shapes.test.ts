import { type Container, type LifecycleHandler, pods, type PodSpec, runtimeClasses } from "@kintsugi/api";
import { expect, test } from "vitest";
import { VirtualClock } from "@kintsugi/clock/simulated";
import type { CreateContainerRequest, PodSandboxConfig } from "@kintsugi/cri";
import { Hooks } from "./pods/probes/hooks.ts";
import type { ProbeOutcome } from "./pods/probes/prober.ts";
import { aPod } from "./testing/builders.ts";
import { ScriptedProber } from "./simulated/scripted-prober.ts";
import { type TestNode, withNode } from "./testing/test-node.ts";

// The forms of pods: sidecars, hooks, namespaces, names, ports.

const second = 1000;

const container = (name: string, what: string, more: Partial<Container> = {}): Container => ({
  name,
  image: `script.kintsugi.dev/${what}`,
  ...more,
});
const sidecar = (name: string, what: string, more: Partial<Container> = {}): Container =>
  container(name, what, { restartPolicy: "Always", ...more });

/**
 * Deletes the pod, and returns for each container its grace period and the time, in seconds, of its
 * signal.
 */
async function stopped(node: TestNode, graceSeconds: number): Promise<string[]> {
  const containers = await node.runtime.listContainers();
  const startedMs = node.clock.nowMs();
  await node.deletePod("p", graceSeconds);
  await node.clock.advance((graceSeconds + 5) * second);
  expect(await node.findPod("p")).toBeUndefined();
  return node.runtime.callsOf("stopContainer").map(({ args, atMs }) => {
    const name = containers.find(({ id }) => id === args[0])?.metadata.name;
    return `${name} at ${Math.floor((atMs - startedMs) / 1000)} gets ${String(args[1])}`;
  });
}

test("sidecars end last in reverse order, and all containers share one grace period", () =>
  withNode(async (node) => {
    await node.createPod("p", {
      initContainers: [sidecar("log", "run"), sidecar("net", "run")],
      containers: [container("a", "run"), container("b", "run", { lifecycle: { preStop: { sleep: { seconds: 5 } } } })],
    });
    await node.clock.advance(3 * second);
    expect(await stopped(node, 30)).toEqual([
      "a at 0 gets 30",
      "b at 5 gets 25",
      "net at 5 gets 25",
      "log at 5 gets 25",
    ]);
  }));

test.each([3, 1])("a preStop hook that outlives a grace period of %i s leaves two seconds to the container", (grace) =>
  withNode(async (node) => {
    await node.createPod("p", {
      containers: [container("a", "run", { lifecycle: { preStop: { sleep: { seconds: 60 } } } })],
    });
    await node.clock.advance(3 * second);
    expect(await stopped(node, grace)).toEqual([`a at ${grace} gets 2`]);
  }),
);

test("a sidecar's preStop hook runs while its pod stops, and a sidecar whose turn is too late ends with the grace period", () =>
  withNode(async (node) => {
    await node.createPod("p", {
      initContainers: [sidecar("log", "run", { lifecycle: { preStop: { sleep: { seconds: 8 } } } })],
      containers: [container("a", "stubborn")],
      terminationGracePeriodSeconds: 10,
    });
    await node.clock.advance(3 * second);
    expect(await stopped(node, 10)).toEqual(["a at 0 gets 10", "log at 10 gets 2"]);
  }));

test.each<[string, LifecycleHandler, ProbeOutcome, string]>([
  [
    "a command",
    { exec: { command: ["sh", "-c", "exit 1"] } },
    { kind: "failure", output: "no\n" },
    'Exec lifecycle hook ([sh -c exit 1]) for Container "c" in Pod "p_default" failed - message: "no\\n"',
  ],
  [
    "a request",
    { httpGet: { port: 1, path: "/x" } },
    { kind: "failure", output: "refused" },
    'HTTP lifecycle hook (/x) for Container "c" in Pod "p_default" failed - error: refused',
  ],
  [
    "a connection",
    { tcpSocket: { port: 1 } },
    { kind: "success" },
    'invalid handler for Container "c" in Pod "p_default": tcpSocket is not supported in hooks',
  ],
])("a failed %s hook states the reason", async (_, handler, outcome, because) => {
  const [clock, prober] = [new VirtualClock(), new ScriptedProber()];
  prober.answer(() => outcome);
  const hooked = {
    pod: aPod(),
    container: { name: "c", lifecycle: { postStart: handler } },
    containerId: "1",
    podIps: [],
  };
  const { signal } = new AbortController();
  expect(await new Hooks({ clock, prober }).postStart(hooked, signal)).toBe(because);
});

test("a container whose postStart hook fails is killed and restarted", () =>
  withNode(async (node) => {
    node.prober.answer(() => ({ kind: "failure", output: "no" }));
    const postStart = { exec: { command: ["false"] } };
    await node.createPod("p", { containers: [container("c", "run", { lifecycle: { postStart } })] });
    await node.clock.advance(3 * second);
    expect(await node.running()).toEqual([]);
    expect(await node.events()).toContainEqual(expect.stringMatching(/^FailedPostStartHook: PostStartHook failed/));
    node.prober.answer(() => ({ kind: "success" }));
    await node.clock.advance(20 * second);
    expect(await node.running()).toEqual(["p/c#2"]);
  }));

test("an http hook sends its request and ignores the response", () =>
  withNode(async (node) => {
    node.prober.answer(() => ({ kind: "failure", output: "HTTP probe failed with statuscode: 500", answered: true }));
    const postStart = { httpGet: { port: 80, path: "/started" } };
    await node.createPod("p", { containers: [container("c", "run", { lifecycle: { postStart } })] });
    await node.clock.advance(3 * second);
    expect((await node.pod("p")).status).toMatchObject({ phase: "Running", containerStatuses: [{ ready: true }] });
  }));

test("a pod beyond its maximum lifetime is ended and reports it", () =>
  withNode(async (node) => {
    await node.createPod("p", { containers: [container("c", "run")], activeDeadlineSeconds: 5 });
    await node.clock.advance(10 * second);
    expect((await node.pod("p")).status).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
    expect(await node.running()).toEqual([]);
    const told = (await node.events()).filter((event) => event.startsWith("DeadlineExceeded"));
    expect(told).toEqual(["DeadlineExceeded: Pod was active on the node longer than the specified deadline"]);
  }));

const onPort = (hostPort: number): Partial<PodSpec> => ({
  containers: [container("c", "run", { ports: [{ containerPort: 80, hostPort }] })],
});

test.each<[string, Partial<PodSpec>, string, string]>([
  [
    "requests a used host port",
    onPort(8080),
    "NodePorts",
    "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
  ],
  [
    "requests a sysctl outside its namespaces",
    { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } },
    "SysctlForbidden",
    'Pod was rejected: forbidden sysctl: "kernel.msgmax" not allowlisted',
  ],
  [
    "requests a sysctl of the shared network",
    { hostNetwork: true, securityContext: { sysctls: [{ name: "net.ipv4.tcp_syncookies", value: "1" }] } },
    "SysctlForbidden",
    'Pod was rejected: forbidden sysctl: "net.ipv4.tcp_syncookies" not allowed with host net enabled',
  ],
  [
    "has the policy Strict for its groups, which the runtime does not implement",
    { securityContext: { supplementalGroupsPolicy: "Strict" } },
    "SupplementalGroupsPolicyNotSupported",
    "Pod was rejected: SupplementalGroupsPolicy=Strict is not supported in this node",
  ],
])("a pod that %s is rejected", (_, spec, reason, message) =>
  withNode(async (node) => {
    await node.createPod("first", onPort(8080));
    await node.clock.advance(second);
    await node.createPod("p", spec);
    await node.clock.advance(second);
    const { status } = await node.pod("p");
    // No container was started, so the status has no containers, not even lost ones.
    expect(status).toEqual({
      phase: "Failed",
      reason,
      message,
      conditions: [],
      startTime: expect.any(String),
      qosClass: "BestEffort",
    });
    await node.restart();
    await node.clock.advance(90 * second);
    expect((await node.pod("p")).status).toEqual(status);
    expect((await node.pod("first")).status?.phase).toBe("Running");
  }),
);

test.each<[string, Partial<PodSpec>, RegExp]>([
  [
    "has a name that is too long",
    { setHostnameAsFQDN: true, hostname: "h".repeat(40), subdomain: "s".repeat(40) },
    /Failed to construct FQDN from Pod hostname and cluster domain, FQDN h+\.s+\.default\.svc\.cluster\.local is too long \(64 characters is the max, 107 characters requested\)/,
  ],
  [
    "names a missing class",
    { runtimeClassName: "kata" },
    /Failed to create pod sandbox: failed to get sandbox runtime: RuntimeClass "kata" not found/,
  ],
])("a pod that %s gets no sandbox, and an event states the reason", (_, spec, message) =>
  withNode(async (node) => {
    await node.createPod("p", { containers: [container("c", "run")], ...spec });
    await node.clock.advance(second);
    expect(await node.runtime.listPodSandboxes()).toEqual([]);
    const told = (await node.events()).find((event) => event.startsWith("FailedCreatePodSandBox"));
    expect(told).toMatch(message);
  }),
);

test("a pod with a runtime class runs with the class's handler", () =>
  withNode(async (node) => {
    await node.client.create(runtimeClasses, { metadata: { name: "kata" }, handler: "kata-qemu" });
    await node.createPod("p", { runtimeClassName: "kata", containers: [container("c", "run")] });
    await node.createPod("q", { containers: [container("c", "run")] });
    await node.clock.advance(2 * second);
    const configs = node.runtime.callsOf("runPodSandbox").map(({ args }) => args[0] as PodSandboxConfig);
    expect(configs.map(({ metadata, runtimeHandler }) => [metadata.name, runtimeHandler])).toEqual([
      ["p", "kata-qemu"],
      ["q", ""],
    ]);
    expect((await node.pod("p")).status?.phase).toBe("Running");
  }));

test("an ephemeral container waits for its target container", () =>
  withNode(async (node) => {
    await node.createPod("p", { containers: [container("c", "exit:1-after-5s")] });
    await node.clock.advance(12 * second);
    const pod = await node.pod("p");
    expect(pod.status?.containerStatuses?.[0]?.state).toMatchObject({ waiting: { reason: "CrashLoopBackOff" } });
    const ephemeralContainers = [{ ...container("debug", "run"), targetContainerName: "c" }];
    await node.client.update(pods, { ...pod, spec: { ...pod.spec, ephemeralContainers } as PodSpec });
    await node.clock.advance(1 * second);
    const debug = async () => (await node.pod("p")).status?.ephemeralContainerStatuses?.[0]?.state;
    const message = "unable to find target container c";
    expect(await debug()).toMatchObject({ waiting: { reason: "CreateContainerConfigError", message } });
    await node.clock.advance(10 * second);
    expect(await debug()).toHaveProperty("running");
    const [target] = await node.runtime.listContainers({ state: "running" });
    const requests = node.runtime.callsOf("createContainer").map(({ args }) => args[0] as CreateContainerRequest);
    expect(requests.at(-1)?.config.linux.security.namespaces).toMatchObject({ pid: "target", targetId: target?.id });
  }));

test("termination messages of many containers are cut to a share of the pod's limit", () =>
  withNode(async (node) => {
    const names = ["a", "b", "c", "d", "e", "f"];
    const pod = await node.createPod("p", {
      restartPolicy: "Never",
      containers: names.map((name) => container(name, "exit:1-after-5s")),
    });
    await node.clock.advance(second);
    for (const name of names) {
      const path = `/kubelet/pods/${pod.metadata.uid}/containers/${name}/termination-0`;
      await node.files.write(path, "x".repeat(5000));
    }
    await node.clock.advance(10 * second);
    const lengths = (await node.pod("p")).status?.containerStatuses?.map(
      ({ state }) => state?.terminated?.message?.length,
    );
    expect(lengths).toEqual(names.map(() => 2048));
  }));

test("the hosts file of a pod on the node's network consists of the node's entries and the pod's aliases", () =>
  withNode(async (node) => {
    await node.files.write("/etc/hosts", "127.0.0.1 localhost machine\n");
    const pod = await node.createPod("p", {
      hostNetwork: true,
      hostAliases: [{ ip: "10.1.2.3", hostnames: ["db", "db.local"] }],
      containers: [container("c", "run")],
    });
    await node.clock.advance(second);
    const bytes = node.files.readTail(`/kubelet/pods/${pod.metadata.uid}/etc-hosts`, 10_000);
    expect(Buffer.from(bytes ?? []).toString()).toBe(
      "# Kubernetes-managed hosts file (host network).\n127.0.0.1 localhost machine\n\n# Entries added by HostAliases.\n10.1.2.3\tdb\tdb.local\n",
    );
  }));

test("a variable is read from a file in an emptyDir that another container has written", () =>
  withNode(async (node) => {
    const fileKeyRef = { volumeName: "config", path: "app/config.env", key: "ADDRESS" };
    const optional = { name: "OTHER", valueFrom: { fileKeyRef: { ...fileKeyRef, key: "NONE", optional: true } } };
    await node.createPod("p", {
      volumes: [{ name: "config", emptyDir: {} }],
      containers: [
        {
          name: "c",
          image: "script.kintsugi.dev/run",
          env: [{ name: "ADDRESS", valueFrom: { fileKeyRef } }, optional, { name: "URL", value: "http://$(ADDRESS)" }],
        },
      ],
    });
    await node.clock.advance(5000);
    const waiting = async () => (await node.pod("p")).status?.containerStatuses?.[0]?.state?.waiting;
    const file = 'environment variable file "app/config.env" of volume "config"';
    expect(await waiting()).toEqual({
      reason: "CreateContainerConfigError",
      message: `failed to open ${file}: no such file`,
    });
    const { uid } = (await node.pod("p")).metadata;
    const [directory = ""] = [...node.files.entries().keys()].filter((path) =>
      path.endsWith(`${uid}/volumes/kubernetes.io~empty-dir/config`),
    );
    await node.files.write(`${directory}/app/config.env`, "ADDRESS=db\n");
    await node.clock.advance(60_000);
    expect((await waiting())?.message).toBe(
      `couldn't parse ${file}: invalid environment variable format at line 1: value must be enclosed in single quotes`,
    );
    await node.files.write(`${directory}/app/config.env`, "# made by init\nADDRESS='db'\n");
    await node.clock.advance(60_000);
    expect(await node.running()).toEqual(["p/c#0"]);
    const created = node.runtime.callsOf("createContainer").at(-1)?.args[0] as
      | { config: { envs: { key: string; value: string }[] } }
      | undefined;
    const own = created?.config.envs.filter(({ key }) => ["ADDRESS", "OTHER", "URL"].includes(key));
    expect(own).toEqual([
      { key: "ADDRESS", value: "db" },
      { key: "URL", value: "http://db" },
    ]);
  }));

test("a pod's hostname override replaces the pod's name, including in its hosts file", () =>
  withNode(async (node) => {
    const containers = [{ name: "c", image: "script.kintsugi.dev/run" }];
    await node.createPod("p", { hostname: "h", subdomain: "s", hostnameOverride: "web.example.org", containers });
    await node.clock.advance(2000);
    const config = node.runtime.callsOf("runPodSandbox").at(-1)?.args[0] as { hostname: string };
    expect(config.hostname).toBe("web.example.org");
    const [hosts = ""] = [...node.files.entries().keys()].filter((path) => path.endsWith("/etc-hosts"));
    const text = Buffer.from(node.files.readTail(hosts, 10_000) ?? []).toString();
    expect(text).toMatch(/^[0-9.]+\tweb\.example\.org$/m);
  }));
