import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { imageArchive, ociArchitecture } from "@kintsugi/lab";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually } from "../../support/run-program.ts";

// Kubernetes' conformance tests whose outcome is visible inside of containers, by upstream's names.

const lacking = whyNoKubectlCluster();
const testerImage = "registry.invalid/entrypoint-tester:1";

/** gRPC's health service in a few lines, which stops serving after a time. */
const healthServer = (servesMs: number) => `
const startedMs = Date.now();
require("node:http2").createServer().on("stream", (stream) => {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(Buffer.from([0, 0, 0, 0, 2, 8, Date.now() - startedMs < ${servesMs} ? 1 : 2]));
}).listen(5000);`;

describe.skipIf(sayWhyNot("conformance of pods", lacking))("conformance, in containers", () => {
  let cluster: LabCluster;

  /** Makes a pod of one container with the given fields. */
  const run = (name: string, container: object, spec: object = {}) =>
    cluster.apply(
      JSON.stringify({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name },
        spec: {
          restartPolicy: "Never",
          terminationGracePeriodSeconds: 1,
          containers: [{ name: "c", image: "busybox:1", ...container }],
          ...spec,
        },
      }),
    );
  const ended = async (name: string) => {
    const phase = await eventually(`${name} has ended`, async () => {
      const { status } = await cluster.get("pod", name);
      return ["Succeeded", "Failed"].includes(status.phase ?? "") && status.phase;
    });
    expect([name, phase, await cluster.kubectl("logs", name)]).toEqual([name, "Succeeded", expect.anything()]);
    return cluster.kubectl("logs", name);
  };
  /** The log of a container that has ended successfully. */
  const outputOf = async (name: string, container: object, spec: object = {}) => {
    await run(name, container, spec);
    return ended(name);
  };
  const restarts = async (name: string) =>
    (await cluster.get("pod", name)).status.containerStatuses?.[0]?.restartCount ?? 0;
  const runsFor = async (name: string) => (await cluster.get("pod", name)).status.phase === "Running";

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "conform", nodes: 1, proxy: true });
    const busybox = { type: "file", path: "bin/echo", mode: 0o755, content: await readFile("/bin/busybox") } as const;
    const image = {
      names: [testerImage],
      files: [{ type: "directory", path: "bin", mode: 0o755 } as const, busybox],
      entrypoint: ["/bin/echo", "default-command"],
      command: ["default", "arguments"],
    };
    const archive = join(cluster.kubeconfig, "../tester.tar");
    await writeFile(archive, imageArchive([image], ociArchitecture()));
    const loaded = await cluster.kintsugi("image", "load", archive);
    if (loaded.code !== 0) throw new Error(loaded.stderr);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  describe("of arguments", () => {
    const tester = { image: testerImage, imagePullPolicy: "Never" };

    test("[sig-node] Containers should use the image defaults if command and args are blank [Conformance] [NodeConformance]", async () => {
      expect(await outputOf("blank", tester)).toBe("default-command default arguments\n");
    });

    test("[sig-node] Containers should be able to override the image's default arguments (container cmd) [Conformance] [NodeConformance]", async () => {
      const args = ["override", "arguments"];
      expect(await outputOf("args", { ...tester, args })).toBe("default-command override arguments\n");
    });

    test("[sig-node] Containers should be able to override the image's default command (container entrypoint) [Conformance] [NodeConformance]", async () => {
      expect(await outputOf("command", { ...tester, command: ["/bin/echo", "override"] })).toBe("override\n");
    });

    test("[sig-node] Containers should be able to override the image's default command and arguments [Conformance] [NodeConformance]", async () => {
      const both = { command: ["/bin/echo", "override"], args: ["other", "arguments"] };
      expect(await outputOf("both", { ...tester, ...both })).toBe("override other arguments\n");
    });
  });

  describe("of the environment", () => {
    const env = { command: ["env"] };
    const data = ["data_1=value-1", "data_2=value-2", "data_3=value-3"];
    const prefixes = ["p_", "#", "$_", ".dot-", "1"];
    const expectPrefixes = (log: string) => {
      for (const prefix of ["", ...prefixes]) {
        for (const pair of data) expect(log.split("\n")).toContain(`${prefix}${pair}`);
      }
    };
    const froms = (reference: object) =>
      ["", ...prefixes].map((prefix) => ({ ...(prefix && { prefix }), ...reference }));

    test("[sig-node] ConfigMap should be consumable as environment variable names with various prefixes [Conformance]", async () => {
      await cluster.kubectl("create", "configmap", "prefixed", ...data.map((pair) => `--from-literal=${pair}`));
      const envFrom = froms({ configMapRef: { name: "prefixed" } });
      expectPrefixes(await outputOf("configmap-env", { ...env, envFrom }));
    });

    test("[sig-node] Secrets should be consumable as environment variable names variable names with various prefixes [Conformance]", async () => {
      await cluster.kubectl("create", "secret", "generic", "prefixed", ...data.map((pair) => `--from-literal=${pair}`));
      const envFrom = froms({ secretRef: { name: "prefixed" } });
      expectPrefixes(await outputOf("secret-env", { ...env, envFrom }));
    });

    test("[sig-node] Downward API should provide hostIPs as an env var [Conformance] [NodeConformance]", async () => {
      const field = (fieldPath: string) => ({ valueFrom: { fieldRef: { fieldPath } } });
      const vars = [
        { name: "HOST_IP", ...field("status.hostIP") },
        { name: "HOST_IPS", ...field("status.hostIPs") },
      ];
      const log = await outputOf("host-ips", { ...env, env: vars });
      const address = await cluster.nodeAddress("node-1");
      for (const name of ["HOST_IP", "HOST_IPS"]) expect(log.split("\n")).toContain(`${name}=${address}`);
    });
  });

  test("[sig-node] Kubelet when scheduling an agnhost Pod with hostAliases should write entries to /etc/hosts [Conformance] [NodeConformance]", async () => {
    const hostAliases = [{ ip: "123.45.67.89", hostnames: ["foo", "bar"] }];
    const log = await outputOf("aliases", { command: ["cat", "/etc/hosts"] }, { hostAliases });
    expect(log).toMatch(/^# Kubernetes-managed hosts file\.$/m);
    expect(log).toMatch(/^123\.45\.67\.89\tfoo\tbar$/m);
  });

  test("[sig-node] Sysctls [LinuxOnly] should support sysctls [Environment:NotInUserNS] [Conformance] [NodeConformance]", async () => {
    const securityContext = { sysctls: [{ name: "kernel.shm_rmid_forced", value: "1" }] };
    const command = ["cat", "/proc/sys/kernel/shm_rmid_forced"];
    expect(await outputOf("sysctls", { command }, { securityContext })).toBe("1\n");
  });

  test("[sig-node] Security Context should support pod.Spec.SecurityContext.RunAsUser And pod.Spec.SecurityContext.RunAsGroup [LinuxOnly] [Conformance]", async () => {
    const log = await outputOf(
      "pod-user",
      { command: ["id"] },
      { securityContext: { runAsUser: 1001, runAsGroup: 2002 } },
    );
    expect(log).toMatch(/^uid=1001 gid=2002\b/);
  });

  test("[sig-node] Security Context should support container.SecurityContext.RunAsUser And container.SecurityContext.RunAsGroup [LinuxOnly] [Conformance]", async () => {
    const own = { command: ["id"], securityContext: { runAsUser: 1001, runAsGroup: 2002 } };
    const log = await outputOf("container-user", own, { securityContext: { runAsUser: 3003, runAsGroup: 4004 } });
    expect(log).toMatch(/^uid=1001 gid=2002\b/);
  });

  describe("of a gRPC liveness probe", () => {
    const serve = (name: string, servesMs: number) =>
      run(
        name,
        {
          // The node's own Node.js, with the node's files, because the images here have no gRPC.
          command: ["chroot", "/host", process.execPath, "-e", healthServer(servesMs)],
          livenessProbe: { grpc: { port: 5000 }, initialDelaySeconds: 2, periodSeconds: 1, failureThreshold: 1 },
          volumeMounts: [{ name: "host", mountPath: "/host", readOnly: true }],
        },
        { restartPolicy: "Always", volumes: [{ name: "host", hostPath: { path: "/" } }] },
      );

    test("[sig-node] Probing container should be restarted with a GRPC liveness probe [Conformance] [NodeConformance]", async () => {
      await serve("grpc-failing", 4000);
      expect(
        await eventually("the restart", () => restarts("grpc-failing").then((count) => count > 0 && count)),
      ).toBeGreaterThan(0);
    });

    test("[sig-node] Probing container should *not* be restarted with a GRPC liveness probe [Conformance] [NodeConformance]", async () => {
      await serve("grpc-healthy", 600_000);
      await eventually("it runs", () => runsFor("grpc-healthy"));
      // Ten periods of a probe whose first failure would restart the container.
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      expect(await restarts("grpc-healthy")).toBe(0);
      expect(
        await cluster.kubectl("get", "events", "--field-selector", "involvedObject.name=grpc-healthy"),
      ).not.toContain("Unhealthy");
    });
  });

  test("[sig-cli] Kubectl logs logs should be able to retrieve and filter logs [Conformance]", async () => {
    const lines = 100;
    const command = [
      "sh",
      "-c",
      `i=0; while [ $i -lt ${lines} ]; do echo "line $i of the log"; i=$((i+1)); done; sleep 1d`,
    ];
    await run("logged", { command });
    const whole = await eventually("all lines", async () => {
      const log = await cluster.kubectl("logs", "logged", "c");
      return log.includes(`line ${lines - 1} `) && log;
    });
    expect(whole.trimEnd().split("\n")).toHaveLength(lines);
    expect(await cluster.kubectl("logs", "logged", "c", "--tail=1")).toBe(`line ${lines - 1} of the log\n`);
    expect(await cluster.kubectl("logs", "logged", "c", "--limit-bytes=1")).toBe("l");
    const stamped = (await cluster.kubectl("logs", "logged", "c", "--tail=1", "--timestamps")).trimEnd().split("\n");
    expect(stamped).toHaveLength(1);
    expect(new Date(stamped[0]?.split(" ")[0] ?? "").getTime()).toBeGreaterThan(Date.now() - 600_000);
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(await cluster.kubectl("logs", "logged", "c", "--since=1s")).toBe("");
    expect(await cluster.kubectl("logs", "logged", "c", "--since=24h")).toBe(whole);
  });

  test("[sig-auth] ServiceAccounts ServiceAccountIssuerDiscovery should support OIDC discovery of service account issuer [Conformance]", async () => {
    const mount = "/var/run/secrets/tokens";
    // The container has no client that checks certificates, but the node's Node.js does.
    const look = `
const { createPublicKey, verify } = require("node:crypto");
const { request } = require("node:https");
const token = process.env.TOKEN;
const [head, claims, signature] = token.split(".");
const read = (part) => JSON.parse(Buffer.from(part, "base64url").toString());
const ca = process.env.CA;
const get = (path) => new Promise((resolve, reject) => {
  const host = process.env.KUBERNETES_SERVICE_HOST;
  request({ host, port: process.env.KUBERNETES_SERVICE_PORT, path, ca, headers: { authorization: "Bearer " + process.env.OWN } }, (response) => {
    let text = "";
    response.on("data", (part) => (text += part));
    response.on("end", () => (response.statusCode === 200 ? resolve(JSON.parse(text)) : reject(new Error(text))));
  }).on("error", reject).end();
});
(async () => {
  const document = await get("/.well-known/openid-configuration");
  const { iss, aud, sub } = read(claims);
  if (document.issuer !== iss) throw new Error("issuer " + document.issuer);
  const { keys } = await get(new URL(document.jwks_uri).pathname);
  const { kid, alg } = read(head);
  const jwk = keys.find((key) => key.kid === kid);
  const key = { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" };
  const isRight = verify("sha256", Buffer.from(head + "." + claims), key, Buffer.from(signature, "base64url"));
  console.log(JSON.stringify({ isRight, aud, sub, alg }));
})().catch((error) => { console.log(error); process.exit(1); });`;
    const tokens = {
      name: "token",
      projected: {
        sources: [{ serviceAccountToken: { path: "token", expirationSeconds: 3600, audience: "oidc-discovery-test" } }],
      },
    };
    await cluster.kubectl(
      "create",
      "clusterrolebinding",
      "oidc-discovery",
      "--clusterrole=system:service-account-issuer-discovery",
      "--group=system:serviceaccounts",
    );
    const own = "/var/run/secrets/kubernetes.io/serviceaccount";
    const found = `export TOKEN="$(cat ${mount}/token)" OWN="$(cat ${own}/token)" CA="$(cat ${own}/ca.crt)"`;
    const log = await outputOf(
      "discovery",
      {
        command: ["sh", "-c", `${found}; exec chroot /host ${process.execPath} -e "$SCRIPT"`],
        env: [{ name: "SCRIPT", value: look }],
        volumeMounts: [
          { name: "host", mountPath: "/host", readOnly: true },
          { name: "token", mountPath: mount },
        ],
      },
      { volumes: [{ name: "host", hostPath: { path: "/" } }, tokens] },
    );
    expect(JSON.parse(log)).toMatchObject({
      isRight: true,
      aud: ["oidc-discovery-test"],
      sub: "system:serviceaccount:default:default",
    });
  });
});
