import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../../support/host-abilities.ts";
import { type KubernetesObject, type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually } from "../../support/run-program.ts";

const lacking = whyNoKubectlCluster();

interface PodWithInit extends KubernetesObject {
  status: KubernetesObject["status"] & {
    initContainerStatuses: NonNullable<KubernetesObject["status"]["containerStatuses"]>;
  };
}

/** Makes a pod with one container "c" that runs a script, unless `spec` differs. */
function podManifest(name: string, script: string, container: object = {}, spec: object = {}): string {
  const main = { name: "c", image: "busybox:1", command: ["sh", "-c", script], ...container };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { terminationGracePeriodSeconds: 1, containers: [main], ...spec },
  });
}

describe.skipIf(sayWhyNot("what pods may say", lacking))("on a real node", () => {
  let cluster: LabCluster;
  const statuses = async (name: string) => (await cluster.get("pod", name)).status.containerStatuses ?? [];
  const eventsOf = (name: string) =>
    cluster.kubectl("get", "events", "--field-selector", `involvedObject.name=${name}`);
  const runs = (name: string) =>
    eventually(`${name} runs`, async () => {
      const told = await statuses(name);
      return told.length > 0 && told.every(({ state }) => state.running);
    });

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "variety", nodes: 1 });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test("a container's own rules restart it for one exit code and not for another", async () => {
    const rules = {
      restartPolicy: "Never",
      restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }],
    };
    const script = "if [ -e /lives/one ]; then exit 7; fi; touch /lives/one; exit 42";
    const lives = { volumeMounts: [{ name: "lives", mountPath: "/lives" }] };
    const volumes = [{ name: "lives", emptyDir: {} }];
    await cluster.apply(podManifest("ruled", script, { ...rules, ...lives }, { volumes, restartPolicy: "Never" }));
    // An init container's rules apply as a container's do: otherwise the pod would have failed with
    // the init container.
    const init = { name: "i", image: "busybox:1", ...rules, ...lives };
    const once = "if [ -e /lives/one ]; then exit 0; fi; touch /lives/one; exit 42";
    const initContainers = [{ ...init, command: ["sh", "-c", once] }];
    await cluster.apply(podManifest("prepared", "true", {}, { initContainers, volumes, restartPolicy: "Never" }));
    await cluster.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/prepared", "--timeout=30s");
    expect((await cluster.get<PodWithInit>("pod", "prepared")).status.initContainerStatuses).toMatchObject([
      { restartCount: 1, state: { terminated: { exitCode: 0 } }, lastState: { terminated: { exitCode: 42 } } },
    ]);
    await cluster.kubectl("wait", "--for=jsonpath={.status.phase}=Failed", "pod/ruled", "--timeout=30s");
    expect(await statuses("ruled")).toMatchObject([
      { restartCount: 1, state: { terminated: { exitCode: 7 } }, lastState: { terminated: { exitCode: 42 } } },
    ]);
  });

  test("a rule restarts all containers in place: same pod, sandbox and volumes, init containers first", async () => {
    const log = (name: string) => `echo ${name} >> /data/log; touch /data/${name}`;
    const mounts = { image: "busybox:1", volumeMounts: [{ name: "data", mountPath: "/data" }] };
    const run = (name: string, script: string, more: object = {}) => ({
      name,
      ...mounts,
      command: ["sh", "-c", `${log(name)}; ${script}`],
      ...more,
    });
    const exitCodes = { operator: "In", values: [42] };
    const rules = { restartPolicy: "Never", restartPolicyRules: [{ action: "RestartAllContainers", exitCodes }] };
    const deaf = "trap '' TERM; while :; do sleep 1; done";
    const preStop = { lifecycle: { preStop: { exec: { command: ["touch", "/data/said-goodbye"] } } } };
    const spec = {
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 300,
      volumes: [{ name: "data", emptyDir: {} }],
      initContainers: [run("init", "true"), run("sidecar", deaf, { restartPolicy: "Always" })],
      containers: [
        run("bystander", deaf, preStop),
        run(
          "trigger",
          "until test -e /data/exit; do sleep 0.1; done; read code < /data/exit; rm /data/exit; exit $code",
          rules,
        ),
      ],
    };
    const annotations = { "kintsugi.dev/backoff": "initial=8s,max=8s" };
    const metadata = { name: "gang", annotations };
    await cluster.apply(JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata, spec }));
    await cluster.kubectl("wait", "--for=condition=Ready", "pod/gang", "--timeout=30s");
    const namespace = () => cluster.kubectl("exec", "gang", "-c", "bystander", "--", "readlink", "/proc/self/ns/net");
    const exits = (code: number) =>
      cluster.kubectl(
        "exec",
        "gang",
        "-c",
        "bystander",
        "--",
        "sh",
        "-c",
        `echo ${code} > /data/code; mv /data/code /data/exit`,
      );
    const before = await cluster.get("pod", "gang");
    const networkBefore = await namespace();
    const restarting = (status: string) =>
      cluster.kubectl("wait", `--for=condition=AllContainersRestarting=${status}`, "pod/gang", "--timeout=30s");
    const ready = (restarts: number) =>
      eventually(`all run after ${restarts} restarts`, async () => {
        const { status } = await cluster.get<PodWithInit>("pod", "gang");
        const all = [...status.initContainerStatuses, ...(status.containerStatuses ?? [])];
        if (all.every(({ ready, restartCount }) => ready && restartCount === restarts)) return status;
        throw new Error(JSON.stringify(all));
      });
    await restarting("False");

    await exits(42);
    const again = await ready(1);
    const after = await cluster.get("pod", "gang");
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.status.podIP).toBe(before.status.podIP);
    expect(await namespace()).toBe(networkBefore);
    const endOf = (status: PodWithInit["status"], name: string) =>
      [...status.initContainerStatuses, ...(status.containerStatuses ?? [])].find((each) => each.name === name)
        ?.lastState.terminated;
    // Neither grace period nor preStop: the containers that ignore signals would have had five
    // minutes.
    expect(endOf(again, "bystander")).toMatchObject({ exitCode: 137 });
    expect(endOf(again, "sidecar")).toMatchObject({ exitCode: 137 });
    expect(endOf(again, "trigger")).toMatchObject({ exitCode: 42 });
    expect(endOf(again, "init")).toMatchObject({ exitCode: 0, reason: "Completed" });

    // The second time, the containers wait for their back-off, and the pod shows the reason.
    await exits(42);
    await restarting("True");
    const { conditions = [] } = (await cluster.get("pod", "gang")).status;
    expect(conditions).toContainEqual(
      expect.objectContaining({
        type: "AllContainersRestarting",
        status: "True",
        reason: "RestartAllContainersStarted",
        message: "container exited with restart policy rule",
      }),
    );
    expect(conditions).toContainEqual(expect.objectContaining({ type: "Initialized", status: "True" }));
    await ready(2);
    await restarting("False");
    const told = await cluster.kubectl("exec", "gang", "-c", "bystander", "--", "sh", "-c", "cat /data/log; ls /data");
    const life = /init sidecar (bystander trigger|trigger bystander) /;
    expect(told.replaceAll("\n", " ")).toMatch(new RegExp(`^(${life.source}){3}`));
    expect(told).not.toContain("said-goodbye");
    const events = await eventsOf("gang");
    expect(events).toMatch(/Killing .*Container bystander will be restarted with all containers of /);
    expect(events).toMatch(/BackOff .*Back-off restarting failed container \w+ in pod gang_default/);

    // Another code does not cause a restart: the container that exited has ended, and the other
    // continues.
    await exits(7);
    await eventually("the trigger has ended", async () =>
      (await statuses("gang")).some(({ name, state }) => name === "trigger" && state.terminated?.exitCode === 7),
    );
    expect((await statuses("gang")).map(({ name, restartCount }) => `${name}#${restartCount}`)).toEqual([
      "bystander#2",
      "trigger#2",
    ]);
    await cluster.kubectl("delete", "pod", "gang", "--grace-period=1");
  });

  test("variables come from the pod, its node, its resources, ConfigMaps and Secrets", async () => {
    await cluster.kubectl("create", "configmap", "config", "--from-literal=color=green", "--from-literal=SIZE=9");
    await cluster.kubectl("create", "secret", "generic", "secret", "--from-literal=word=open");
    const env = [
      { name: "COLOR", valueFrom: { configMapKeyRef: { name: "config", key: "color" } } },
      { name: "WORD", valueFrom: { secretKeyRef: { name: "secret", key: "word" } } },
      { name: "MISSING", valueFrom: { secretKeyRef: { name: "secret", key: "none", optional: true } } },
      { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
      { name: "LIMIT", valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } } },
      { name: "ALL", value: "$(COLOR) $(WORD) $$(COLOR) $(NOBODY)" },
    ];
    const envFrom = [{ configMapRef: { name: "config" } }, { prefix: "S_", secretRef: { name: "secret" } }];
    const resources = { limits: { memory: "64Mi" } };
    await cluster.apply(podManifest("env", "env; echo end; sleep 1d", { env, envFrom, resources }));
    const text = await eventually("its variables", async () => {
      const { stdout } = await cluster.tryKubectl(["logs", "env"]);
      return stdout.includes("end\n") && stdout;
    });
    const said = new Map(text.split("\n").map((line) => line.split(/=(.*)/, 2) as [string, string]));
    const names = ["COLOR", "WORD", "MISSING", "NODE", "LIMIT", "ALL", "SIZE", "color", "S_word"];
    expect(names.map((name) => said.get(name))).toEqual([
      "green",
      "open",
      undefined,
      "node-1",
      "64",
      "green open $(COLOR) $(NOBODY)",
      "9",
      "green",
      "open",
    ]);
  });

  test("liveness probes by command and by port restart a container when they fail", async () => {
    const exec = { exec: { command: ["test", "-e", "/alive"] } };
    const often = { periodSeconds: 1, failureThreshold: 1 };
    const script = "touch /alive; sleep 3; rm /alive; sleep 1d";
    await cluster.apply(podManifest("by-command", script, { livenessProbe: { ...exec, ...often } }));
    const listens = "timeout 4 httpd -f -p 8080; sleep 1d";
    const tcp = { tcpSocket: { port: 8080 }, initialDelaySeconds: 1 };
    await cluster.apply(podManifest("by-port", listens, { livenessProbe: { ...tcp, ...often } }));
    for (const [name, words] of [
      ["by-command", /Unhealthy .*Liveness probe failed:/],
      ["by-port", /Unhealthy .*Liveness probe failed: dial tcp .*:8080: connect: connection refused/],
    ] as const) {
      await eventually(`${name} was restarted`, async () => ((await statuses(name))[0]?.restartCount ?? 0) >= 1);
      expect(await eventsOf(name)).toMatch(words);
      expect(await eventsOf(name)).toMatch(/Killing .*Container c failed liveness probe, will be restarted/);
    }
  });

  test("bad input is rejected in upstream's words or shown on the pod, and does not affect other pods", async () => {
    await cluster.apply(podManifest("neighbour", "sleep 1d"));
    await runs("neighbour");
    const before = (await cluster.get("pod", "neighbour")).status;
    const probe = { exec: { command: ["true"] } };
    const refused: [string, object, object, string][] = [
      ["probe", { livenessProbe: {} }, {}, "must specify a handler type"],
      [
        "probe-grace",
        { livenessProbe: { ...probe, terminationGracePeriodSeconds: -1 } },
        {},
        "terminationGracePeriodSeconds",
      ],
      ["deadline", {}, { activeDeadlineSeconds: -1 }, "spec.activeDeadlineSeconds: Invalid value: -1"],
      [
        "memory",
        { resources: { limits: { memory: "-1" } } },
        {},
        'Invalid value: "-1": must be greater than or equal to 0',
      ],
      [
        "volume",
        { volumeMounts: [{ name: "none", mountPath: "/a" }] },
        {},
        'spec.containers[0].volumeMounts[0].name: Not found: "none"',
      ],
      ["runtime", {}, { runtimeClassName: "gvisor" }, 'pod rejected: RuntimeClass "gvisor" not found'],
    ];
    for (const [name, container, spec, words] of refused) {
      const { code, stderr } = await cluster.tryKubectl(["apply", "-f", "-"], {
        input: podManifest(name, "true", container, spec),
      });
      expect([name, code, stderr.includes(words) ? words : stderr]).toEqual([name, 1, words]);
    }
    const shown: [string, object, RegExp][] = [
      ["image", { image: "Not:A:Reference" }, /InvalidImageName/],
      ["command", { command: ["/no/such/program"] }, /RunContainerError|CrashLoopBackOff/],
      [
        "over-a-file",
        { volumeMounts: [{ name: "v", mountPath: "/bin/busybox" }] },
        /RunContainerError|CreateContainerError|CrashLoopBackOff/,
      ],
      ["missing", { envFrom: [{ configMapRef: { name: "none" } }] }, /CreateContainerConfigError/],
    ];
    const volumes = [{ name: "v", emptyDir: {} }];
    for (const [name, container] of shown) await cluster.apply(podManifest(name, "sleep 1d", container, { volumes }));
    for (const [name, , reason] of shown) {
      const said = await eventually(`${name} says why`, async () => {
        const { waiting } = (await statuses(name))[0]?.state ?? {};
        return waiting !== undefined && reason.test(waiting.reason) && waiting.reason;
      });
      expect(said).toMatch(reason);
    }
    // Upstream accepts a negative grace period, and ends such a pod after a second.
    await cluster.apply(
      podManifest("impatient", "trap '' TERM; sleep 1d & wait", {}, { terminationGracePeriodSeconds: -1 }),
    );
    await runs("impatient");
    const startedMs = performance.now();
    await cluster.kubectl("delete", "pod", "impatient");
    expect(performance.now() - startedMs).toBeLessThan(20_000);
    expect((await cluster.get("pod", "neighbour")).status.containerStatuses).toEqual(before.containerStatuses);
  });

  test("unsupported features of this node are not silently ignored: the pod states the missing feature, and other pods are not affected", async () => {
    await cluster.apply(podManifest("bystander", "sleep 1d"));
    await runs("bystander");
    const before = await statuses("bystander");
    const appArmorProfile = { type: "RuntimeDefault" };
    const block = { volumeDevices: [{ name: "disk", devicePath: "/dev/disk" }] };
    const disk = { volumes: [{ name: "disk", persistentVolumeClaim: { claimName: "none" } }] };
    const claim = { resourceClaims: [{ name: "gpu", resourceClaimName: "none" }] };
    const hugePages = { resources: { limits: { "hugepages-2Mi": "4Mi", memory: "16Mi" } } };
    // A client may bind a pod even if the scheduler does not find a node for the pod.
    const here = { nodeName: "node-1" };
    type Row = readonly [name: string, container: object, spec: object, says: string];
    const cannotStart: Row[] = [
      ["users", {}, { hostUsers: false }, "hostUsers: false of the pod"],
      ["apparmor-of-pod", {}, { securityContext: { appArmorProfile } }, "securityContext.appArmorProfile of the pod"],
      ["apparmor", { securityContext: { appArmorProfile } }, {}, 'securityContext.appArmorProfile of container "c"'],
      ["bound-claim", {}, { ...claim, ...here }, "resourceClaims of the pod"],
      ["bound-block", block, { ...disk, ...here }, 'volumeDevices of container "c"'],
    ];
    const goesNowhere: Row[] = [
      ["claim", {}, claim, 'devices of resourceclaim "gpu" are not allocated by this scheduler'],
      ["block", block, disk, 'persistentvolumeclaim "none" not found'],
      ["huge-pages", hugePages, {}, "Insufficient hugepages-2Mi"],
    ];
    const turnedAway: Row[] = [
      [
        "bound-huge-pages",
        hugePages,
        here,
        "Node didn't have enough resource: hugepages-2Mi, requested: 4194304, used: 0, capacity: 0",
      ],
    ];
    const items = [...cannotStart, ...goesNowhere, ...turnedAway].map(
      ([name, container, spec]) => JSON.parse(podManifest(name, "sleep 1d", container, spec)) as object,
    );
    await cluster.apply(JSON.stringify({ apiVersion: "v1", kind: "List", items }));

    for (const [name, , , words] of cannotStart) {
      const message = `${words} is not supported by this kubelet`;
      const waiting = await eventually(
        `${name} says why`,
        async () => (await statuses(name))[0]?.state.waiting?.message && (await statuses(name))[0]?.state.waiting,
      );
      expect([name, waiting]).toEqual([name, { reason: "CreateContainerConfigError", message }]);
      expect(await eventsOf(name)).toMatch(new RegExp(`Warning +Failed .*Error: ${words}`));
    }
    for (const [name, , , words] of goesNowhere) {
      await eventually(`${name} is told of`, async () => /FailedScheduling/.test(await eventsOf(name)));
      expect(await eventsOf(name)).toContain(words);
      const { phase, conditions } = (await cluster.get("pod", name)).status;
      expect([name, phase]).toEqual([name, "Pending"]);
      expect(conditions).toContainEqual(
        expect.objectContaining({ type: "PodScheduled", status: "False", reason: "Unschedulable" }),
      );
    }
    for (const [name, , , message] of turnedAway) {
      const status = await eventually(`${name} has failed`, async () => {
        const pod = await cluster.get<KubernetesObject & { status: { reason?: string; message?: string } }>(
          "pod",
          name,
        );
        return pod.status.phase === "Failed" && pod.status;
      });
      expect(status).toMatchObject({ reason: "OutOfhugepages-2Mi", message: expect.stringContaining(message) });
    }

    // The unaffected pods are unchanged, and the next pod starts as usual.
    expect(await statuses("bystander")).toEqual(before);
    await cluster.apply(podManifest("next", "sleep 1d"));
    await runs("next");
  });
});
