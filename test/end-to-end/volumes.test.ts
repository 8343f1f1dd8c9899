import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually, mustRun } from "../support/run-program.ts";

const lacking = whyNoKubectlCluster();

interface Shape {
  command: string;
  /** Each field is in YAML's flow style. */
  volumes: string[];
  mounts: string[];
  pod?: string;
  container?: string;
}

interface NodeWithHandlers {
  status: {
    nodeInfo: { containerRuntimeVersion: string };
    runtimeHandlers?: { name?: string; features: { recursiveReadOnlyMounts?: boolean } }[];
  };
}

interface PodWithMounts {
  status: { containerStatuses: { volumeMounts: { mountPath: string }[] }[] };
}

function podManifest(name: string, shape: Shape): string {
  return `apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {tier: old}}
spec:
  terminationGracePeriodSeconds: 1
  ${shape.pod ?? ""}
  volumes: [${shape.volumes.join(", ")}]
  containers:
  - name: c
    image: busybox:1
    command: ["sh", "-c", ${JSON.stringify(shape.command)}]
    volumeMounts: [${shape.mounts.join(", ")}]
    ${shape.container ?? ""}
`;
}

describe.skipIf(sayWhyNot("volumes", lacking))("the volumes of a pod on a real node", () => {
  let cluster: LabCluster;
  let host: string;
  const logs = (name: string) => cluster.kubectl("logs", name);
  const waiting = async (name: string) => (await cluster.get("pod", name)).status.containerStatuses?.[0]?.state.waiting;
  const mountsOf = async (uid: string) =>
    (await readFile("/proc/self/mountinfo", "utf8")).split("\n").filter((line) => line.includes(`/pods/${uid}/`));
  const logged = (name: string, text: string | RegExp) =>
    eventually(`${name} says ${text}`, async () => {
      const output = await logs(name);
      return typeof text === "string" ? output.includes(text) && output : text.test(output) && output;
    });

  beforeAll(async () => {
    host = await mkdtemp(join(tmpdir(), "kintsugi-volumes-"));
    cluster = await startLabCluster({ name: "volumes", nodes: 1 });
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await rm(host, { recursive: true, force: true });
  });

  test("in memory are a file system of the requested size, and are removed with the pod", async () => {
    await cluster.apply(
      podManifest("memory", {
        command: "df -m /cache | tail -1; ls -ld /cache; dd if=/dev/zero of=/cache/big bs=1M count=20 2>&1; sleep 1d",
        volumes: ["{name: cache, emptyDir: {medium: Memory, sizeLimit: 8Mi}}"],
        mounts: ["{name: cache, mountPath: /cache}"],
        pod: "securityContext: {fsGroup: 1234}",
      }),
    );
    const output = await logged("memory", "records out");
    expect(output).toMatch(/^tmpfs\s+8\s/m);
    expect(output).toMatch(/drwxrwsrwt .* 1234 /);
    expect(output).toMatch(/No space left on device/);
    const { uid } = (await cluster.get("pod", "memory")).metadata;
    expect(await mountsOf(uid)).toHaveLength(1);
    await cluster.kubectl("delete", "pod", "memory", "--wait");
    await eventually("no mount is left", async () => (await mountsOf(uid)).length === 0);
  });

  test("from a ConfigMap and from labels follow these in a running container, but not through a subPath", async () => {
    await cluster.kubectl("create", "configmap", "words", "--from-literal=motto=old");
    await cluster.apply(
      podManifest("live", {
        command: "while true; do echo $(cat /all/motto) $(cat /all/labels) $(cat /part); sleep 0.3; done",
        volumes: [
          "{name: all, projected: {sources: [{configMap: {name: words}}, {downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}}]}}",
          "{name: words, configMap: {name: words}}",
        ],
        mounts: ["{name: all, mountPath: /all}", "{name: words, mountPath: /part, subPath: motto}"],
      }),
    );
    expect(await logged("live", 'old tier="old" old')).not.toContain("new");
    await cluster.kubectl("patch", "configmap", "words", "--type=merge", "-p", '{"data":{"motto":"new"}}');
    await cluster.kubectl("label", "pod", "live", "tier=new", "--overwrite");
    expect(await logged("live", 'new tier="new" old')).not.toContain("new new");
  });

  test("mount in every container a token that the API accepts, and the API's address", async () => {
    await cluster.apply(
      podManifest("token", {
        command: [
          "cd /var/run/secrets/kubernetes.io/serviceaccount",
          "echo namespace=$(cat namespace) $(head -1 ca.crt)",
          // busybox has no TLS version that the server accepts; whether the server accepts the
          // token is checked from outside.
          "nc -w 2 $KUBERNETES_SERVICE_HOST $KUBERNETES_SERVICE_PORT </dev/null && echo reached",
          "echo token=$(cat token)=",
          "sleep 1d",
        ].join("; "),
        volumes: [],
        mounts: [],
      }),
    );
    const output = await logged("token", /token=.*=/);
    expect(output).toContain("namespace=default -----BEGIN CERTIFICATE-----");
    expect(output).toContain("reached");
    const [, token = ""] = /token=(.*)=/.exec(output) ?? [];
    // The kubeconfig lacks the administrator's certificate, which would take precedence.
    const { stdout: server } = await cluster.tryKubectl([
      "config",
      "view",
      "-o",
      "jsonpath={.clusters[0].cluster.server}",
    ]);
    const anonymous = [
      "--kubeconfig=/dev/null",
      `--server=${server}`,
      "--insecure-skip-tls-verify",
      `--token=${token}`,
    ];
    const whoami = await cluster.tryKubectl(["auth", "whoami", ...anonymous]);
    expect(whoami.stdout).toContain("system:serviceaccount:default:default");
    await cluster.kubectl("delete", "pod", "token", "--wait");
    await eventually("the token ends with its pod", async () =>
      (await cluster.tryKubectl(["auth", "whoami", ...anonymous])).stderr.includes("Unauthorized"),
    );
  });

  test("of the node are checked for the type that the pod states", async () => {
    await writeFile(join(host, "file"), "the node's");
    const hostPath = (name: string, type: string) => ({
      command: "ls -l /host; sleep 1d",
      volumes: [`{name: host, hostPath: {path: ${join(host, name)}, type: ${type}}}`],
      mounts: ["{name: host, mountPath: /host}"],
    });
    await cluster.apply(podManifest("host-wrong", hostPath("file", "Directory")));
    await cluster.apply(podManifest("host-missing", hostPath("none", "Socket")));
    await cluster.apply(podManifest("host-made", hostPath("made", "DirectoryOrCreate")));
    const events = (name: string) =>
      cluster.kubectl("get", "events", "--field-selector", `involvedObject.name=${name}`, "-o", "wide");
    await eventually("what is wrong", async () =>
      (await events("host-wrong")).includes(
        `hostPath type check failed: ${join(host, "file")} is not a directory, it's a File`,
      ),
    );
    await eventually("what is missing", async () =>
      (await events("host-missing")).includes(`hostPath ${join(host, "none")} doesn't exist`),
    );
    await logged("host-made", "total 0");
    expect((await waiting("host-wrong"))?.reason).toBe("ContainerCreating");
  });

  test("are not left by a subPath, even by links in them, and their bind-mounted files are never removed with the pod", async () => {
    await writeFile(join(host, "kept"), "precious");
    await symlink("/etc", join(host, "out"));
    const part = (subPath: string) => ({
      command: "echo; cat /part/kept /part/passwd; ls /part; sleep 1d",
      volumes: [`{name: host, hostPath: {path: ${host}}}`],
      mounts: [`{name: host, mountPath: /part, subPath: ${subPath}}`],
    });
    await cluster.apply(podManifest("escapes", part("out")));
    await cluster.apply(podManifest("stays", part("./")));
    await logged("stays", "precious");
    await eventually("the refusal", async () => {
      const { reason, message } = (await waiting("escapes")) ?? {};
      return (
        reason === "CreateContainerConfigError" &&
        message === 'failed to prepare subPath for volumeMount "host" of container "c"'
      );
    });
    const { uid } = (await cluster.get("pod", "stays")).metadata;
    expect(await mountsOf(uid)).toHaveLength(1);
    await cluster.kubectl("delete", "pod", "stays", "escapes", "--wait");
    await eventually("no mount is left", async () => (await mountsOf(uid)).length === 0);
    expect(await readFile(join(host, "kept"), "utf8")).toBe("precious");
    expect(existsSync("/etc/passwd")).toBe(true);
  });

  test("in impossible pods are rejected by the API in its words, and never reach the node", async () => {
    const shape = { command: "sleep 1d", volumes: ["{name: v, emptyDir: {}}"], mounts: ["{name: v, mountPath: /a}"] };
    const bad: [string, Partial<Shape>, string][] = [
      ["kind", { volumes: ["{name: v, floppy: {}}"] }, 'unknown field "spec.volumes[0].floppy"'],
      ["twice", { mounts: [...shape.mounts, ...shape.mounts] }, 'mountPath: Invalid value: "/a": must be unique'],
      [
        "probe",
        { container: "livenessProbe: {exec: {command: [a]}, periodSeconds: -1}" },
        "must be greater than or equal to 0",
      ],
      ["escape", { mounts: ["{name: v, mountPath: /a, subPath: ../b}"] }, "must not contain '..'"],
      ["runtime", { pod: "runtimeClassName: gvisor" }, 'pod rejected: RuntimeClass "gvisor" not found'],
    ];
    for (const [name, changed, words] of bad) {
      const input = podManifest(name, { ...shape, ...changed });
      const { code, stderr } = await cluster.tryKubectl(["apply", "-f", "-"], { input });
      expect([name, code, stderr.includes(words) ? words : stderr]).toEqual([name, 1, words]);
    }
  });

  test("are read-only with all mounts below them, if the runtime supports this, which its node reports", async () => {
    const below = join(host, "whole/below");
    await mkdir(below, { recursive: true });
    await mustRun("mount", ["-t", "tmpfs", "-o", "size=1m", "kintsugi-below", below]);
    const apply = (name: string, mode: string) =>
      cluster.apply(
        podManifest(name, {
          command: "touch /whole/below/file && echo written; echo done; sleep 1d",
          volumes: [`{name: whole, hostPath: {path: ${join(host, "whole")}}}`],
          mounts: [`{name: whole, mountPath: /whole, readOnly: true, recursiveReadOnly: ${mode}}`],
        }),
      );
    const told = async (name: string) => {
      const { containerStatuses } = (await cluster.get<PodWithMounts>("pod", name)).status;
      return containerStatuses[0]?.volumeMounts.find(({ mountPath }) => mountPath === "/whole");
    };
    const { nodeInfo, runtimeHandlers = [] } = (await cluster.get<NodeWithHandlers>("node", "node-1")).status;
    const isPossible = runtimeHandlers.some(({ name, features }) => !name && features.recursiveReadOnlyMounts);
    // containerd supports that from 2.0 on.
    expect(nodeInfo.containerRuntimeVersion).toMatch(isPossible ? /^containerd:\/\/[2-9]/ : /^containerd:\/\/1\./);
    const mount = { name: "whole", mountPath: "/whole", readOnly: true };
    try {
      await apply("if-possible", "IfPossible");
      const output = await logged("if-possible", "done");
      expect(output.includes("written")).toBe(!isPossible);
      expect(await told("if-possible")).toEqual({ ...mount, recursiveReadOnly: isPossible ? "Enabled" : "Disabled" });
      await apply("enabled", "Enabled");
      const outcome = await eventually("it runs, or says why it cannot", async () => {
        const refused = await waiting("enabled");
        if (refused?.message !== undefined) return refused;
        const { stdout } = await cluster.tryKubectl(["logs", "enabled"]);
        return stdout.includes("done") && { wrote: stdout.includes("written"), ...(await told("enabled")) };
      });
      const refusal =
        'failed to resolve recursive read-only mode: volume "whole" requested recursive read-only mode, but it is not supported by the runtime';
      expect(outcome).toEqual(
        isPossible
          ? { wrote: false, ...mount, recursiveReadOnly: "Enabled" }
          : { reason: "CreateContainerConfigError", message: refusal },
      );
    } finally {
      await cluster.kubectl("delete", "pods", "if-possible", "enabled", "--now", "--ignore-not-found");
      await mustRun("umount", ["--lazy", below]);
    }
  });

  test("in pods that cannot run state the reason, while other pods on the node continue", async () => {
    const plain = { command: "sleep 1d", volumes: [], mounts: [] };
    await cluster.apply(podManifest("good", plain));
    await eventually("good runs", async () => (await cluster.get("pod", "good")).status.phase === "Running");
    const { containerStatuses: before } = (await cluster.get("pod", "good")).status;
    await cluster.apply(
      podManifest("no-command", plain).replace('command: ["sh", "-c", "sleep 1d"]', 'command: ["/no/such/program"]'),
    );
    await cluster.apply(
      podManifest("over-a-file", {
        ...plain,
        volumes: ["{name: v, emptyDir: {}}"],
        mounts: ["{name: v, mountPath: /bin/busybox}"],
      }),
    );
    await cluster.apply(podManifest("no-users", { ...plain, pod: "hostUsers: false" }));
    const ended = await eventually("a start that failed", async () => {
      const status = (await cluster.get("pod", "no-command")).status.containerStatuses?.[0];
      return status?.lastState.terminated ?? status?.state.terminated;
    });
    expect(ended).toMatchObject({ reason: "StartError", exitCode: 128 });
    const reasonOf = (name: string, reason: RegExp) =>
      eventually(`${name} says ${reason}`, async () => reason.test((await waiting(name))?.reason ?? ""));
    expect(await reasonOf("no-command", /^(RunContainerError|CrashLoopBackOff)$/)).toBe(true);
    expect(await reasonOf("over-a-file", /^(RunContainerError|CreateContainerError|CrashLoopBackOff)$/)).toBe(true);
    expect(await reasonOf("no-users", /^CreateContainerConfigError$/)).toBe(true);
    expect((await waiting("no-users"))?.message).toBe("hostUsers: false of the pod is not supported by this kubelet");
    expect((await cluster.get("pod", "good")).status.containerStatuses).toEqual(before);
  });
});
