import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, get } from "node:http";
import { type AddressInfo, BlockList } from "node:net";
import { expect, test } from "vitest";
import { serveOverTls } from "../testing/served-over-tls.ts";
import { aPod, podsPath } from "../testing/test-server.ts";
import { createBackendHttpDialer } from "./backend-http-dialer.ts";

/** kubectl of several minor versions, as the Google Cloud SDK installs them. */
const found = spawnSync("sh", ["-c", "readlink -f $(command -v kubectl)"], { encoding: "utf8" }).stdout.trim();
const kubectls = ["1.27", "1.31", "1.33"].map((minor) => `${found}.${minor}`).filter((path) => existsSync(path));

async function startWithPage() {
  const backend = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end('<a href="/next">next</a>');
  });
  backend.listen(0, "127.0.0.1");
  await once(backend, "listening");
  const served = await serveOverTls({
    backendDialer: createBackendHttpDialer({ ownAddresses: [], refused: new BlockList() }),
  });
  await served.server.post(podsPath, aPod("web"));
  const status = { phase: "Running", podIP: "127.0.0.1", podIPs: [{ ip: "127.0.0.1" }] };
  await served.server.patch(`${podsPath}/web/status`, { status });
  const path = `${podsPath}/web:${(backend.address() as AddressInfo).port}/proxy`;
  return {
    served,
    path,
    [Symbol.asyncDispose]: async () => {
      backend.closeAllConnections();
      backend.close();
      await served[Symbol.asyncDispose]();
    },
  };
}

/** Fetches a page as a browser that follows no redirects. */
function read(url: string): Promise<{ status: number | undefined; location: string | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    get(url, async (response) => {
      let text = "";
      for await (const chunk of response) text += String(chunk);
      resolve({ status: response.statusCode, location: response.headers.location, text });
    }).on("error", reject);
  });
}

/** A file without a test would fail. */
const oneAtLeast = kubectls.length === 0 ? ["kubectl (skipped: there is no kubectl.1.NN)"] : kubectls;

test.skipIf(kubectls.length === 0).each(oneAtLeast)(
  "%s reads a page of a pod and opens it in a browser (skipped where it is not installed)",
  { timeout: 60_000 },
  async (program) => {
    await using page = await startWithPage();
    const { served, path } = page;
    const run = async (args: string[], input = "") => {
      const child = spawn(program, ["--kubeconfig", served.kubeconfig, ...args], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      child.stdin.end(input);
      let output = "";
      for await (const chunk of child.stdout) output += String(chunk);
      return output;
    };
    expect(await run(["get", "--raw", `${path}/`])).toBe(`<a href="${path}/next">next</a>`);
    const configMap = JSON.stringify({ metadata: { name: "raw" }, data: { a: "b" } });
    const created = await run(["create", "--raw", "/api/v1/namespaces/default/configmaps", "-f", "-"], configMap);
    expect(JSON.parse(created)).toMatchObject({ kind: "ConfigMap", data: { a: "b" } });

    const proxy = spawn(program, ["--kubeconfig", served.kubeconfig, "proxy", "--port=0"]);
    try {
      const [line] = (await once(proxy.stdout, "data")) as [Buffer];
      const [address] = /127\.0\.0\.1:\d+/.exec(line.toString()) ?? [];
      const moved = await read(`http://${address}${path}`);
      expect([moved.status, moved.location]).toEqual([301, `${path}/`]);
      expect((await read(`http://${address}${path}/`)).text).toBe(`<a href="${path}/next">next</a>`);
    } finally {
      proxy.kill();
    }
  },
);
