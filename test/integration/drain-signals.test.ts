import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NodeCondition } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createAuthority } from "@kintsugi/pki";
import { expect, test } from "vitest";

// The program itself, as a process that receives real signals. The server answers a drain's
// requests, and its budget allows no disruptions, so that the drain would continue forever.

const repository = fileURLToPath(new URL("../..", import.meta.url));
const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" }, spec: { unschedulable: true }, status: {} };
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "default", uid: "uid-of-p" },
  spec: { nodeName: "n1", containers: [{ name: "main" }] },
};

interface Answer {
  readonly status: number;
  readonly body: object;
}

function answerTo(method: string, path: string): Answer {
  if (path.endsWith("/eviction")) {
    const refusal = { apiVersion: "v1", kind: "Status", status: "Failure", reason: "TooManyRequests", code: 429 };
    return {
      status: 429,
      body: { ...refusal, message: "Cannot evict pod as it would violate the pod's disruption budget." },
    };
  }
  if (path.startsWith("/api/v1/nodes/n1")) return { status: 200, body: node };
  const items = path.startsWith("/api/v1/pods") || path.startsWith("/api/v1/namespaces/default/pods") ? [pod] : [];
  return { status: 200, body: { apiVersion: "v1", kind: "List", metadata: { resourceVersion: "1" }, items } };
}

/** An API server on this host; it stores the conditions of the node that it receives. */
async function startServer() {
  const reported: NodeCondition[][] = [];
  let isFirstEviction = () => {};
  const evicting = new Promise<void>((resolve) => (isFirstEviction = resolve));
  const authority = await createAuthority({ clock: systemClock, random: systemRandom }, "kubernetes");
  const { key, certificate: cert } = await authority.issue({
    commonName: "api",
    usages: ["server"],
    ipAddresses: ["127.0.0.1"],
  });
  const server = createServer({ key, cert }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "" } = request;
      if (method === "PATCH" && url.includes("/status")) {
        const { status } = JSON.parse(Buffer.concat(chunks).toString()) as { status: { conditions: NodeCondition[] } };
        reported.push(status.conditions);
      }
      if (url.endsWith("/eviction")) isFirstEviction();
      const answer = answerTo(method, url);
      response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, reported, evicting, ca: authority.certificate, port: (server.address() as AddressInfo).port };
}

function startDrain(kubeconfig: string): ChildProcess {
  const main = join(repository, "apps/cli/src/main.ts");
  const args = ["--import", "tsx", "--conditions", "@kintsugi/source", main, "drain", "n1", "--force"];
  return spawn(process.execPath, [...args, "--kubeconfig", kubeconfig], { cwd: repository, stdio: "pipe" });
}

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s ends a drain as interrupted, with a shell's exit code", { timeout: 60_000 }, async (name, code) => {
  const directory = mkdtempSync(join(tmpdir(), "drain-signals-"));
  const { server, reported, evicting, ca, port } = await startServer();
  try {
    const kubeconfig = join(directory, "kubeconfig");
    const cluster = {
      name: "c",
      cluster: {
        server: `https://127.0.0.1:${port}`,
        "certificate-authority-data": Buffer.from(ca).toString("base64"),
      },
    };
    const context = { name: "c", context: { cluster: "c", user: "u" } };
    const users = [{ name: "u", user: { token: "t" } }];
    const config = { clusters: [cluster], contexts: [context], users, "current-context": "c" };
    writeFileSync(kubeconfig, JSON.stringify({ apiVersion: "v1", kind: "Config", ...config }));
    const drain = startDrain(kubeconfig);
    let output = "";
    drain.stderr?.on("data", (data: Buffer) => (output += data.toString()));
    const exited = once(drain, "exit");
    await Promise.race([evicting, exited.then(() => Promise.reject(new Error(`the drain has ended: ${output}`)))]);
    drain.kill(name);
    expect(await exited).toEqual([code, null]);
    const statesOf = (conditions: readonly NodeCondition[] = []) =>
      conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
    expect(reported.map(statesOf)).toEqual([
      ["DrainInProgress=True KintsugiDrainStarted", "Drained=False KintsugiDrainStarted"],
      ["DrainInProgress=False KintsugiDrainInterrupted", "Drained=False KintsugiDrainInterrupted"],
    ]);
    expect(output).toContain(
      `node n1 remains cordoned, and \`kintsugi drain n1 --kubeconfig ${kubeconfig}\` continues the drain`,
    );
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(directory, { recursive: true });
  }
});
