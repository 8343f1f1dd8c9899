import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadKubeconfig } from "@kintsugi/client";
import { clusterPaths, defaultDataRoot, nodePaths } from "@kintsugi/lab";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findKubectls, sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { openChannels } from "../support/channel-client.ts";
import { type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { fetchText } from "../support/fetch-text.ts";
import { runScript, startKubectl, startPortForward } from "../support/running-kubectl.ts";
import { eventually } from "../support/run-program.ts";

const kubectls = [...findKubectls()];
const lacking = whyNoKubectlCluster();
sayWhyNot("what kubectl says to containers", lacking);

// The oldest uses SPDY, the newest WebSocket.
const oldestAndNewest = kubectls.filter((_, index) => index === 0 || index === kubectls.length - 1);

const pods = `apiVersion: v1
kind: Pod
metadata: {name: p, labels: {app: serving}}
spec:
  terminationGracePeriodSeconds: 0
  restartPolicy: Never
  containers:
  - {name: c, image: "busybox:1", command: [sh, -c, "mkdir /www; echo served > /www/index.html; exec httpd -f -p 8080 -h /www"]}
  - {name: done, image: "busybox:1", command: [sh, -c, "echo words of done; true"]}
---
apiVersion: v1
kind: Pod
metadata: {name: talks, labels: {app: serving}}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - name: c
    image: busybox:1
    volumeMounts: [{name: lives, mountPath: /lives}]
    command:
    - sh
    - -c
    - |
      if [ ! -e /lives/first ]; then touch /lives/first; echo first life; exit 1; fi
      echo one; echo two; sleep 2; echo three; sleep 3600
  volumes: [{name: lives, emptyDir: {}}]
`;

const listener = (name: string) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  terminationGracePeriodSeconds: 0
  restartPolicy: Never
  containers:
  - {name: c, image: "busybox:1", stdin: true, stdinOnce: true, command: [sh, -c, "read x; echo got $x; cat > /dev/null; echo over"]}
`;

let cluster: LabCluster;
if (lacking === undefined) {
  beforeAll(async () => {
    cluster = await startLabCluster({
      name: "serving",
      nodes: 1,
      args: ["--kubelet-arg", "authentication-token-webhook-cache-ttl=1s"],
    });
    await cluster.apply(pods);
    await cluster.kubectl("wait", "--for=jsonpath={.status.phase}=Running", "pod/p", "--timeout=30s");
    await cluster.kubectl("wait", "--for=condition=Ready", "pod/talks", "--timeout=30s");
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());
}

const runWith = (program: string) => (args: string, input?: string) =>
  cluster.tryKubectl(args.split(" "), { program, ...(input === undefined ? {} : { input }) });

/**
 * The first message of a stream is empty, because upstream's servers announce streams that way.
 * kubectl logs this message if it arrives before kubectl reads the stream, which can happen on a
 * busy machine. Data is not lost.
 */
const earlyGreeting = /^E\d{4} .* websocket\.go:\d+\] Unknown stream id 1, discarding message\n/m;

describe.skipIf(lacking !== undefined).each(kubectls)("kubectl %s exec", (_version, program) => {
  const run = runWith(program);

  test("returns a command's output, errors and exit code, and passes on the end of its input", async () => {
    const args = ["exec", "-i", "p", "-c", "c", "--", "sh", "-c", "cat; echo err >&2; exit 3"];
    const { stderr, ...result } = await cluster.tryKubectl(args, { program, input: "one\ntwo\n" });
    expect({ ...result, stderr: stderr.replace(earlyGreeting, "") }).toEqual({
      code: 3,
      stdout: "one\ntwo\n",
      stderr: "err\ncommand terminated with exit code 3\n",
    });
  });

  test("reports errors", async () => {
    const unknown = await run("exec p -c c -- nope");
    expect(unknown.code).not.toBe(0);
    expect(unknown.stderr).toMatch(/executable file (`nope` )?not found in \$PATH/);
    const ended = await run("exec p -c done -- true");
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('container not found ("done")') });
  });
});

describe.skipIf(lacking !== undefined).each(oldestAndNewest)("kubectl %s", (version, program) => {
  const run = runWith(program);
  const name = (prefix: string) => `${prefix}-${version.replaceAll(".", "-").toLowerCase()}`;

  test("exec takes a long command", async () => {
    const args = ["exec", "p", "-c", "c", "--", "sh", "-c", `: ${"x".repeat(40_000)}; echo long`];
    expect(await cluster.tryKubectl(args, { program })).toMatchObject({ code: 0, stdout: "long\n" });
  });

  test("exec -t has a terminal of the caller's size", async () => {
    const command = `stty rows 40 cols 100; ${program} --kubeconfig ${cluster.kubeconfig} exec -it p -c c -- sh -c 'until stty size 2>/dev/null | grep . ; do sleep 0.1; done; exit 5'`;
    const { code, stdout } = await runScript(command);
    expect(stdout).toContain("40 100\r\n");
    expect(code).toBe(5);
  });

  test("attach is connected to the container's own program, and ends with it", async () => {
    await cluster.apply(listener(name("listener")));
    await cluster.kubectl("wait", "--for=condition=Ready", `pod/${name("listener")}`, "--timeout=30s");
    const result = await run(`attach -i ${name("listener")}`, "hello\n");
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining("got hello\nover\n") });
  });

  test("cp copies files in both directions", async () => {
    const directory = mkdtempSync(join(tmpdir(), "kintsugi-cp-"));
    const content = Buffer.alloc(3_000_000, "kintsugi ");
    writeFileSync(join(directory, "there"), content);
    expect(await run(`cp ${directory}/there p:/tmp/file -c c`)).toMatchObject({ code: 0 });
    expect(await run(`cp p:/tmp/file ${directory}/back -c c`)).toMatchObject({ code: 0 });
    expect(readFileSync(join(directory, "back")).equals(content)).toBe(true);
    rmSync(directory, { recursive: true });
  });

  test("port-forward serves consecutive connections until a connection is refused", async () => {
    await using forward = await startPortForward({ program, kubeconfig: cluster.kubeconfig }, ["pod/p", ":8080", ":9"]);
    for (let turn = 0; turn < 3; turn++) expect(await fetchText("127.0.0.1", forward.port(8080))).toBe("served\n");
    // kubectl then stops, and prints the server's message.
    await expect(fetchText("127.0.0.1", forward.port(9))).rejects.toThrow(/socket hang up|ECONNRESET/);
    await eventually("kubectl says why", async () => forward.output().includes("connect: connection refused"));
    // A kubectl that fell back to SPDY would print that here.
    expect(forward.output()).not.toContain("fallback");
  });

  test("run --rm sends input and receives output, and debug joins the processes of a container", async () => {
    const rest = "--image=busybox:1 --restart=Never";
    expect(await run(`run -i --rm ${name("once")} ${rest} -- cat`, "through\n")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("through\n"),
    });
    await using debug = startKubectl(
      { program, kubeconfig: cluster.kubeconfig },
      `debug -i p --image=busybox:1 --target=c -c ${name("debugger")}`,
    );
    // Its input remains open, because containerd stops reading the output of a running container
    // when a caller's input has ended.
    debug.write("ps\n");
    await eventually("the container's own process", async () => debug.output().includes("httpd -f -p 8080"));
    const statuses = await cluster.kubectl("get", "pod", "p", "-o", "jsonpath={.status.ephemeralContainerStatuses}");
    expect(statuses).toContain(name("debugger"));
  });
});

describe.skipIf(lacking !== undefined)("kubectl logs", () => {
  const logs = (args: string) => cluster.kubectl("logs", ...args.split(" "));

  test("shows the requested lines", async () => {
    await eventually("the third line", async () => (await logs("talks")).includes("three"));
    expect(await logs("talks")).toBe("one\ntwo\nthree\n");
    expect(await logs("talks --previous")).toBe("first life\n");
    expect(await logs("talks --tail=2")).toBe("two\nthree\n");
    expect(await logs("talks --limit-bytes=5")).toBe("one\nt");
    const stamped = await logs("talks --timestamps");
    expect(stamped).toMatch(/^\d{4}-\d\d-\d\dT\S+Z one\n\S+Z two\n\S+Z three\n$/);
    const third = stamped.split("\n")[2]?.split(" ")[0] ?? "";
    expect(await logs(`talks --since-time=${third}`)).toBe("three\n");
    expect(await logs("talks --since=1h")).toBe("one\ntwo\nthree\n");
    expect(await logs("-l app=serving --all-containers --prefix --tail=1")).toMatch(
      /^(?=[^]*\[pod\/p\/done\] words of done\n)(?=[^]*\[pod\/talks\/c\] three\n)/,
    );
  });

  test("follows until the container ends", async () => {
    await cluster.kubectl(
      "run",
      "brief",
      "--image=busybox:1",
      "--restart=Never",
      "--",
      "sh",
      "-c",
      "echo a; sleep 1; echo b",
    );
    // The log of a pod that is not bound yet is empty (upstream's LogLocation).
    await eventually("brief has begun", async () => (await cluster.tryKubectl(["logs", "brief"])).stdout.includes("a"));
    expect(await logs("-f brief")).toBe("a\nb\n");
  });

  test("reports errors", async () => {
    const result = await cluster.tryKubectl(["logs", "p", "-c", "c", "--previous"]);
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('previous terminated container "c" in pod "p" not found'),
    });
  });
});

test.skipIf(lacking !== undefined)("the API server passes on a kubelet's reports about its node", async () => {
  const tell = (path: string) => cluster.kubectl("get", "--raw", `/api/v1/nodes/node-1/proxy/${path}`);
  expect(await tell("healthz")).toBe("ok");
  expect(JSON.parse(await tell("stats/summary?only_cpu_and_memory=true"))).toMatchObject({
    node: { nodeName: "node-1" },
  });
  expect(await tell("metrics/resource")).toContain("node_cpu_usage_seconds_total ");
  const { stderr } = await cluster.tryKubectl(["get", "--raw", "/api/v1/nodes/node-1/proxy/nope"]);
  expect(stderr).toContain("(NotFound)");
});

describe.skipIf(lacking !== undefined)("a user without the permission", () => {
  const paths = () => clusterPaths(defaultDataRoot, cluster.name);
  const pki = (file: string) => readFileSync(join(paths().pki, file));

  test("gets a refusal of exec, with every protocol", async () => {
    const kubeconfig = nodePaths(paths(), { name: "node-1" } as Parameters<typeof nodePaths>[1]).kubeconfig;
    for (const [, program] of oldestAndNewest) {
      const result = await cluster.tryKubectl(["--kubeconfig", kubeconfig, "exec", "p", "-c", "c", "--", "true"], {
        program,
      });
      expect(result.code).toBe(1);
      expect(result.stderr).toContain('User "system:node:node-1" cannot create resource "pods/exec" in API group ""');
    }
  });

  test("the kubelet's port rejects clients without a certificate or a token, and authorizes others through the API", async () => {
    const host = await cluster.kubectl("get", "node", "node-1", "-o", "jsonpath={.status.addresses[0].address}");
    const ask = (path: string, identity?: string, headers: Record<string, string> = {}) =>
      new Promise<{ status: number; text: string }>((resolve, reject) => {
        const certificate = identity === undefined ? {} : { cert: pki(`${identity}.crt`), key: pki(`${identity}.key`) };
        const options = {
          host,
          port: 10250,
          path,
          ca: pki("ca.crt"),
          servername: "node-1",
          agent: false,
          headers,
          ...certificate,
        };
        const request = httpsRequest(options, (response) => {
          let text = "";
          response.on("data", (chunk: Buffer) => (text += chunk.toString()));
          response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        });
        request.on("error", reject).end();
      });
    expect(await ask("/pods")).toEqual({ status: 401, text: "Unauthorized" });
    expect(await ask("/healthz", "scheduler")).toEqual({ status: 200, text: "ok" });
    const forbidden = "Forbidden (user=system:kube-scheduler, verb=get, resource=nodes, subresource(s)=[pods proxy])";
    expect(await ask("/pods", "scheduler")).toEqual({ status: 403, text: forbidden });
    for (const identity of ["admin", "api-server-kubelet-client"]) {
      const { items } = JSON.parse((await ask("/pods", identity)).text) as { items: { metadata: { name: string } }[] };
      expect(items.map(({ metadata }) => metadata.name)).toContain("talks");
      expect((await ask("/metrics", identity)).text).toContain("kubelet_");
      expect((await ask("/metrics/resource", identity)).text).toContain("container_memory_working_set_bytes{");
      expect(JSON.parse((await ask("/stats/summary", identity)).text)).toMatchObject({ node: { nodeName: "node-1" } });
    }
    expect(await ask("/exec/default/p/c?command=id&output=1", "admin")).toMatchObject({ status: 400 });
    const get = (path: string, token: string) => ask(path, undefined, { authorization: `Bearer ${token}` });
    await cluster.kubectl("create", "serviceaccount", "scraper");
    await cluster.kubectl("create", "clusterrole", "scrapes", "--verb=get", "--resource=nodes/metrics");
    await cluster.kubectl(
      "create",
      "clusterrolebinding",
      "scrapes",
      "--clusterrole=scrapes",
      "--serviceaccount=default:scraper",
    );
    const token = (await cluster.kubectl("create", "token", "scraper")).trim();
    expect((await get("/metrics", token)).text).toContain("kubelet_");
    expect(await get("/pods", token)).toEqual({
      status: 403,
      text: "Forbidden (user=system:serviceaccount:default:scraper, verb=get, resource=nodes, subresource(s)=[pods proxy])",
    });
    expect(await get("/metrics", `${token}x`)).toEqual({ status: 401, text: "Unauthorized" });
    await cluster.kubectl("delete", "serviceaccount", "scraper");
    // The review by the API is cached for the time that this cluster's kubelet has configured: a
    // second.
    await eventually("the token is over", async () => (await get("/metrics", token)).status === 401);
    expect(await ask("/checkpoint/default/p/c", "admin")).toEqual({ status: 404, text: "404 page not found" });
  });
});

describe.skipIf(lacking !== undefined)("a client that uses WebSocket itself", () => {
  const open = (path: string, protocol: string) => {
    const { server } = loadKubeconfig(cluster.kubeconfig);
    const pki = (file: string) => readFileSync(join(clusterPaths(defaultDataRoot, cluster.name).pki, file));
    const identity = { ca: pki("ca.crt"), cert: pki("admin.crt"), key: pki("admin.key") };
    return openChannels(`${server.replace("https", "wss")}/api/v1/namespaces/default/pods/${path}`, protocol, identity);
  };

  test.each(["v4.channel.k8s.io", "v4.base64.channel.k8s.io"])("runs exec by %s", async (protocol) => {
    const command = "read x; echo got $x; echo err >&2; exit 3";
    const query = new URLSearchParams({ container: "c", stdin: "true", stdout: "true", stderr: "true" });
    for (const word of ["sh", "-c", command]) query.append("command", word);
    await using session = await open(`p/exec?${query.toString()}`, protocol);
    expect(session.protocol).toBe(protocol);
    session.send(0, "hello\n");
    await session.closed;
    expect([1, 2].map((channel) => session.received(channel).toString())).toEqual(["got hello\n", "err\n"]);
    expect(JSON.parse(session.received(3).toString())).toMatchObject({
      status: "Failure",
      reason: "NonZeroExitCode",
      details: { causes: [{ reason: "ExitCode", message: "3" }] },
    });
  });

  test.each(["channel.k8s.io", "base64.channel.k8s.io"])(
    "runs exec by %s, which has no exit codes",
    async (protocol) => {
      const query = "container=c&stdout=true&stderr=true&command=echo&command=old";
      await using session = await open(`p/exec?${query.toString()}`, protocol);
      await session.closed;
      expect([session.protocol, session.received(1).toString()]).toEqual([protocol, "old\n"]);
    },
  );

  test("attaches by v4, and exchanges data with the container", async () => {
    await cluster.apply(listener("listens-to-v4"));
    await cluster.kubectl("wait", "--for=condition=Ready", "pod/listens-to-v4", "--timeout=30s");
    await using session = await open(
      "listens-to-v4/attach?container=c&stdin=true&stdout=true&stderr=true",
      "v4.channel.k8s.io",
    );
    session.send(0, "hello\n");
    const answer = await eventually("its answer", async () => session.received(1).toString() || undefined);
    expect(answer).toBe("got hello\n");
  });

  test.each(["v4.channel.k8s.io", "v4.base64.channel.k8s.io"])("forwards a port by %s", async (protocol) => {
    await using session = await open("p/portforward?ports=8080", protocol);
    session.send(0, "GET / HTTP/1.0\r\n\r\n");
    const answer = await eventually("the page", async () => {
      const text = session.received(0).subarray(2).toString();
      return text.includes("served") && text;
    });
    expect(answer).toMatch(/^HTTP\/1\.\d 200 OK/);
    // Each channel begins with its port.
    expect([0, 1].map((channel) => session.received(channel).readUInt16LE(0))).toEqual([8080, 8080]);
  });
});
