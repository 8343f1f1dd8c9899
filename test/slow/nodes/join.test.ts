import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@kintsugi/clock";
import type { PrivateContainerd } from "@kintsugi/lab";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../../support/host-abilities.ts";
import {
  kintsugi,
  type KubernetesObject,
  type LabCluster,
  repository,
  startLabCluster,
} from "../../support/lab-cluster.ts";
import { startOwnContainerd } from "../../support/node/own-containerd.ts";
import { eventually, type ProgramResult, runProgram } from "../../support/run-program.ts";

const lacking = whyNoKubectlCluster();

describe.skipIf(sayWhyNot("machines that join", lacking))("a machine with a bootstrap token", () => {
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-join-"));
  const kubeletPort = 10_350;
  let cluster: LabCluster;
  let containerd: PrivateContainerd;
  let kubelet: ChildProcess | undefined;
  let proxy: ChildProcess | undefined;
  /** "kintsugi join https://… --token … --discovery-token-ca-cert-hash …", as words. */
  let joinWords: string[];
  let gateway: string;
  let ownAddress: string;

  const joinWith = (changes: {
    server?: string;
    token?: string;
    hash?: string;
    more?: string[];
  }): Promise<ProgramResult> => {
    const [, , server = "", , token = "", , hash = ""] = joinWords;
    return kintsugi([
      "join",
      changes.server ?? server,
      "--token",
      changes.token ?? token,
      "--discovery-token-ca-cert-hash",
      changes.hash ?? hash,
      `--node-ip=${ownAddress}`,
      "--profile=fast",
      `--kubelet-port=${kubeletPort}`,
      `--container-runtime-endpoint=${containerd.endpoint}`,
      `--config-dir=${join(directory, "etc")}`,
      `--state-dir=${join(directory, "state")}`,
      "--node-name=joined",
      "--discovery-timeout=5s",
      ...(changes.more ?? []),
    ]);
  };

  beforeAll(async () => {
    const runtime = { directory: join(directory, "c"), name: `join-${process.pid}`, podCidr: undefined };
    [cluster, containerd] = await Promise.all([
      startLabCluster({ name: "join", nodes: 1 }),
      startOwnContainerd(runtime),
    ]);
    const [node] = (await cluster.get<{ items: Node[] }>("nodes")).items;
    gateway = node!.status.addresses[0]!.address.replace(/\d+$/, "1");
    const { port } = new URL(
      (await cluster.kubectl("config", "view", "-o", "jsonpath={.clusters[0].cluster.server}")).trim(),
    );
    const server = `https://${gateway}:${port}`;
    // The API server does not connect to a kubelet at one of its own addresses.
    ownAddress = gateway.replace(/\d+$/, "77");
    await runProgram("ip", ["address", "add", `${ownAddress}/32`, "dev", "lo"]);
    const made = await cluster.kintsugi("token", "create", "--ttl", "10m", "--server", server, "--print-join-command");
    joinWords = made.stdout.trim().split(" ");
  });
  afterAll(async () => {
    kubelet?.kill("SIGKILL");
    proxy?.kill("SIGKILL");
    await runProgram("ip", ["address", "delete", `${ownAddress}/32`, "dev", "lo"]);
    await containerd?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });

  test("receives an error and a remedy before anything is written", async () => {
    const [id = ""] = (joinWords[4] ?? "").split(".");
    const said = async (changes: Parameters<typeof joinWith>[0]) => (await joinWith(changes)).stderr;
    expect(await said({ token: `${id}.aaaaaaaaaaaaaaaa` })).toContain("rejects the secret of the token");
    expect(await said({ token: "aaaaaa.aaaaaaaaaaaaaaaa" })).toContain("has expired or was deleted");
    expect(await said({ more: ["--node-ip=here"] })).toContain("--node-ip here: must be a valid IP address");
    expect(await said({ more: ["--pod-cidr=10.1.0.0"] })).toContain("--pod-cidr 10.1.0.0: must be a valid CIDR value");
    expect(await said({ more: ["--kubelet-port=http"] })).toContain('"http" is not a whole number from 1 to 65535.');
    expect(await said({ hash: `sha256:${"0".repeat(64)}` })).toContain(
      "this is another cluster, or an attacker intercepts the connection",
    );
    expect(await said({ server: `https://${gateway}:1` })).toContain("does not respond");
    expect(await said({ more: ["--node-name", "node-1"] })).toMatch(
      /a node "node-1" already exists, which is Ready, at 10\./,
    );
    expect(await said({ more: ["--kubelet-port", joinWords[2]!.split(":")[2]!] })).toMatch(
      /port \d+ is in use: stop the process that listens/,
    );
    const short = await cluster.kintsugi("token", "create", "--ttl", "1s");
    // The token lets the machine join while it is valid.
    await systemClock.sleep(1_500);
    await eventually("the token has expired", async () =>
      /has expired or was deleted|does not accept the token: it has expired/.test(
        await said({ token: short.stdout.trim() }),
      ),
    );
  });

  test("gets its certificates signed, serves as a node, and keeps its identity when it joins again", async () => {
    const joined = await joinWith({});
    expect([joined.code, joined.stderr]).toEqual([0, ""]);
    expect(joined.stdout).toContain("node joined joined");
    const requests = await cluster.kubectl("get", "csr");
    expect(requests).toMatch(
      /^node-csr-\S+ +\S+ +kubernetes.io\/kube-apiserver-client-kubelet +system:bootstrap:\w{6} +<none> +Approved,Issued$/m,
    );
    expect(requests).toMatch(
      /^node-csr-\S+ +\S+ +kubernetes.io\/kubelet-serving +system:node:joined +<none> +Approved,Issued$/m,
    );
    const log = openSync(join(directory, "kubelet.log"), "a");
    const file = join(directory, "etc/kubelet.yaml");
    const words = [
      "--config",
      file,
      `--cgroup-root=${containerd.cgroupParent}`,
      `--memory-dir=${join(directory, "memory")}`,
    ];
    kubelet = spawn(process.execPath, [join(repository, "apps/kubelet/bundle/main.mjs"), ...words], {
      stdio: ["ignore", log, log],
    });
    await eventually("joined is Ready", async () => isReady(await cluster.get("node", "joined")));
    await cluster.apply(pod);
    await eventually("its pod runs", async () => (await cluster.get("pod", "visitor")).status.phase === "Running");
    // The range is from the part of the cluster's network for machines that join: the
    // controller-manager assigned it, and the runtime uses it.
    const { spec } = await cluster.get<Node>("node", "joined");
    expect(spec.podCIDR).toMatch(/^10\.\d+\.128\.0\/24$/);
    const { podIP } = (await cluster.get<Pod>("pod", "visitor")).status;
    expect(podIP).toMatch(new RegExp(`^${spec.podCIDR.replace(/\.0\/24$/, "").replaceAll(".", "\\.")}\\.\\d+$`));
    // The log arrives over the kubelet's own port, with its own certificate.
    await eventually("its log is read", async () =>
      (await cluster.kubectl("logs", "visitor")).includes("hello from here"),
    );
    // The proxy runs in a namespace of the cluster without a proxy, because the machine's own rules
    // belong to all its programs here.
    const inside = ["netns", "exec", `kintsugi-${cluster.name}-node-1`];
    const proxyWords = [join(repository, "apps/proxy/bundle/main.mjs"), "--config", join(directory, "etc/proxy.yaml")];
    proxy = spawn("ip", [...inside, process.execPath, ...proxyWords], { stdio: ["ignore", log, log] });
    await eventually("its proxy leads to the API", async () => {
      const { stdout } = await runProgram("ip", [...inside, "nft", "list", "table", "ip", "kube-proxy"]);
      return stdout.includes(`dnat to ${gateway}:`) && stdout.includes(`saddr != ${spec.podCIDR}`);
    });
    const again = await joinWith({});
    expect(again.stdout).toContain("was a node already");
  });

  test("is rejected with the directory of another cluster, and its token expires when it is deleted", async () => {
    const other = await startLabCluster({ name: "join2", nodes: 1 });
    try {
      const { port } = new URL(
        (await other.kubectl("config", "view", "-o", "jsonpath={.clusters[0].cluster.server}")).trim(),
      );
      const made = await other.kintsugi(
        "token",
        "create",
        "--server",
        `https://127.0.0.1:${port}`,
        "--print-join-command",
      );
      const [, , server = "", , token = "", , hash = ""] = made.stdout.trim().split(" ");
      expect((await joinWith({ server, token, hash })).stderr).toContain(
        "holds the identity of a node in another cluster",
      );
      expect(await other.kintsugi("token", "list").then(({ stdout }) => stdout)).toContain(token.slice(0, 6));
      await other.kintsugi("token", "delete", token);
      await eventually("the token is gone", async () =>
        (await joinWith({ server, token, hash })).stderr.includes("has expired or was deleted"),
      );
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });
});

interface Node extends KubernetesObject {
  spec: KubernetesObject["spec"] & { podCIDR: string };
  status: KubernetesObject["status"] & { addresses: { address: string }[] };
}

interface Pod extends KubernetesObject {
  status: KubernetesObject["status"] & { podIP: string };
}

const isReady = ({ status }: KubernetesObject) =>
  status.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") ?? false;

const pod = `
apiVersion: v1
kind: Pod
metadata: { name: visitor }
spec:
  nodeName: joined
  terminationGracePeriodSeconds: 1
  containers:
    - { name: main, image: busybox, command: [sh, -c, "echo hello from here; sleep 3600"] }
`;
