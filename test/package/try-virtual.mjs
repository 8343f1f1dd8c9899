// Tests the parts of the npm package that need neither Linux nor root: node try-virtual.mjs FOLDER,
// with the package's file in the folder. It needs only Node.js and npm, so that it runs on every
// system.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const folder = resolve(process.argv[2] ?? "dist");
const file = readdirSync(folder).find((name) => /^kintsugi-.*\.tgz$/.test(name));
assert(file !== undefined, `${folder} has no package: \`npm run package\` makes it`);
const place = mkdtempSync(join(tmpdir(), "kintsugi-virtual-"));
const [work, home] = [join(place, "work"), join(place, "home")];
for (const each of [work, home]) mkdirSync(each);
const environment = { ...process.env, HOME: home, USERPROFILE: home, LOCALAPPDATA: home, KUBECONFIG: "" };
const bin = join(work, "node_modules", "kintsugi", "bin", "kintsugi");

try {
  // npm is a script on Windows, which only a shell can start.
  const words = ["install", "--ignore-scripts", "--no-audit", "--no-fund", join(folder, file)];
  const installed = spawnSync("npm", words, { cwd: work, stdio: "inherit", shell: process.platform === "win32" });
  assert.equal(installed.status, 0, "npm could not install the package");
  await timed("simulate", simulate);
  await timed("learn", learn);
  await timed("test-server", useTestServer);
  await timed("playground", usePlayground);
} finally {
  rmSync(place, { recursive: true, force: true, maxRetries: 5 });
}

async function timed(name, work) {
  const startedMs = performance.now();
  const detail = await work(startedMs);
  process.stdout.write(`${name}: ${detail}, ${((performance.now() - startedMs) / 1000).toFixed(2)} s in all\n`);
}

async function simulate(startedMs) {
  const child = start(["simulate", "node-dead"]);
  const lines = [];
  let firstMs = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    firstMs ||= performance.now() - startedMs;
    lines.push(line);
  }
  assert.equal(lines.at(-1), "16 of 16 expectations met");
  return `first line after ${(firstMs / 1000).toFixed(2)} s`;
}

async function learn() {
  const child = start(["learn", "2", "--answer", "1"]);
  const lines = [];
  for await (const line of createInterface({ input: child.stdout })) lines.push(line);
  assert(lines.includes("You were right: None of them."), lines.join("\n"));
  return "a lesson was played";
}

async function useTestServer(startedMs) {
  const child = start(["test-server", "--json", "--with-parent", "--data-dir", join(home, "data")]);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const readyMs = performance.now() - startedMs;
  const { server, ca, token } = JSON.parse(line);
  const call = (method, path, body) => callServer({ server, ca, token }, { method, path, body });
  const labels = { app: "web" };
  const container = { name: "web", image: "nginx" };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  const spec = { replicas: 3, selector: { matchLabels: labels }, template };
  const deployments = "/apis/apps/v1/namespaces/default/deployments";
  await call("POST", deployments, { metadata: { name: "web" }, spec });
  for (let available = 0; available !== 3;) {
    ({ availableReplicas: available = 0 } = (await call("GET", `${deployments}/web`)).status);
    await new Promise((done) => setTimeout(done, 50));
    assert(performance.now() - startedMs < 60_000, "the Deployment did not become available within a minute");
  }
  const availableMs = performance.now() - startedMs;
  child.stdin.end();
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
  return `ready after ${(readyMs / 1000).toFixed(2)} s, three pods available after ${(availableMs / 1000).toFixed(2)} s`;
}

async function usePlayground() {
  const child = start(["playground", "--no-open"]);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const [url] = /http:\/\/127\.0\.0\.1:\d+\//.exec(line) ?? [];
  const page = await (await fetch(url)).text();
  assert.match(page, /<title>Kintsugi: the playground<\/title>/);
  const worker = await (await fetch(`${url}simulator.js`)).text();
  child.kill();
  await once(child, "exit");
  return `${Math.round(worker.length / 1000)} kB of the services`;
}

function start(words) {
  return spawn(process.execPath, [bin, ...words], { env: environment, stdio: ["pipe", "pipe", "inherit"] });
}

function callServer({ server, ca, token }, { method, path, body }) {
  return new Promise((done, refuse) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = request(new URL(path, server), { method, ca, headers }, (response) => {
      let text = "";
      response.on("data", (chunk) => (text += chunk));
      response.on("end", () => {
        if (response.statusCode < 300) done(JSON.parse(text));
        else refuse(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
      });
    });
    sent.on("error", refuse);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
