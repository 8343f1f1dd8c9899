// The steps of action.yml: node action.mjs plan|install|start|report. Inputs are environment
// variables, and outputs are written to the files that GitHub names, as in any action, so the steps
// can be tried anywhere.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const { env, platform } = process;
/** npm is a script on Windows, which only a shell can start. */
const shell = platform === "win32";
/** A test server is ready within a second, on a busy machine within ten. */
const startMaxMs = 60_000;
const temporary = env.RUNNER_TEMP ?? tmpdir();
const steps = { plan, install, start, report };
const step = steps[process.argv[2]];
if (step === undefined) fail("usage: node action.mjs plan|install|start|report");
await step();

/** Chooses the version, so that the cache has a name for it, and the location of the package. */
function plan() {
  const asked = env.KINTSUGI_VERSION ?? "latest";
  const directory = join(env.RUNNER_TOOL_CACHE ?? temporary, "kintsugi");
  if (asked.endsWith(".tgz")) {
    if (!existsSync(asked)) fail(`there is no file ${asked}: \`npm run package\` makes it in dist/`);
    return output({ directory, package: resolve(asked), key: `file-${Date.now()}` });
  }
  if (!/^[a-z0-9][a-z0-9.-]*$/i.test(asked)) fail(`"${asked}" is neither a version nor the path of a .tgz file`);
  const found = spawnSync("npm", ["view", `kintsugi@${asked}`, "version"], { encoding: "utf8", shell });
  const version = found.stdout?.trim().split("\n").at(-1) ?? "";
  if (found.status !== 0 || version === "") fail(`npm's registry has no kintsugi@${asked}: ${found.stderr}`);
  output({ directory, package: `kintsugi@${version}`, key: version });
}

/** Installs the package, unless it is in the cache. */
function install() {
  const directory = env.KINTSUGI_DIRECTORY ?? fail("KINTSUGI_DIRECTORY is missing");
  const wanted = String(env.KINTSUGI_PACKAGE ?? fail("KINTSUGI_PACKAGE is missing"));
  if (!existsSync(program(directory)) || wanted.endsWith(".tgz")) {
    mkdirSync(directory, { recursive: true });
    const words = ["install", "--prefix", directory, "--ignore-scripts", "--no-audit", "--no-fund", wanted];
    const { status } = spawnSync("npm", words, { stdio: "inherit", shell });
    if (status !== 0) fail(`npm could not install ${wanted}`);
  }
  if (env.GITHUB_PATH) appendFileSync(env.GITHUB_PATH, `${join(directory, "node_modules", ".bin")}\n`);
}

/** Starts the cluster, and provides its kubeconfig to all later steps. */
async function start() {
  const directory = env.KINTSUGI_DIRECTORY ?? fail("KINTSUGI_DIRECTORY is missing");
  const cluster = env.KINTSUGI_CLUSTER ?? "test-server";
  const given = (env.KINTSUGI_ARGUMENTS ?? "").split(/\s+/).filter((word) => word !== "");
  const kubeconfig = join(temporary, "kintsugi-kubeconfig");
  if (cluster === "none") return;
  if (cluster === "up") {
    const [sudo, ...words] = asRoot([process.execPath, program(directory)]);
    const ready = spawnSync(sudo, [...words, "doctor", "--install"], { stdio: "inherit" });
    if (ready.status !== 0) fail("this machine cannot run nodes with containers");
    const up = spawnSync(sudo, [...words, "up", "--kubeconfig", kubeconfig, ...given], { stdio: "inherit" });
    if (up.status !== 0) fail("kintsugi up failed");
    if (sudo === "sudo") execFileSync("sudo", ["chown", String(process.getuid()), kubeconfig]);
  } else if (cluster === "test-server") await startTestServer(program(directory), { given, kubeconfig });
  else fail(`"${cluster}" is not a cluster: write test-server, up or none`);
  output({ kubeconfig });
  if (env.GITHUB_ENV) appendFileSync(env.GITHUB_ENV, `KUBECONFIG=${kubeconfig}\n`);
}

/** The server outlives this step; the runner ends it with the job. */
async function startTestServer(file, { given, kubeconfig }) {
  const log = join(temporary, "kintsugi-test-server.log");
  // The line that reports that the server is ready has the administrator's token.
  rmSync(log, { force: true });
  writeFileSync(log, "", { mode: 0o600 });
  const words = [file, "test-server", "--json", "--kubeconfig", kubeconfig, ...given];
  const written = openSync(log, "a");
  const child = spawn(process.execPath, words, { detached: true, stdio: ["ignore", written, written] });
  let ended = false;
  child.once("exit", () => (ended = true));
  const deadlineMs = Date.now() + startMaxMs;
  while (!readFileSync(log, "utf8").includes('"type":"ready"')) {
    if (ended || Date.now() > deadlineMs) fail(`the test server did not start:\n${readFileSync(log, "utf8")}`);
    await new Promise((done) => setTimeout(done, 50));
  }
  child.unref();
  process.stdout.write(`A test server is ready; its kubeconfig is ${kubeconfig}.\n`);
}

/** Prints what happened in the cluster, and writes the page that plays it. */
function report() {
  const directory = env.KINTSUGI_DIRECTORY ?? fail("KINTSUGI_DIRECTORY is missing");
  const kubeconfig = join(temporary, "kintsugi-kubeconfig");
  if (env.KINTSUGI_CLUSTER === "none" || !existsSync(program(directory)) || !existsSync(kubeconfig)) return;
  const timeline = [program(directory), "timeline", "--kubeconfig", kubeconfig];
  process.stdout.write("::group::What happened in the cluster\n");
  const shown = spawnSync(process.execPath, timeline, { encoding: "utf8", maxBuffer: 256 * 1024 * 1024 });
  process.stdout.write(shown.status === 0 ? shown.stdout : `there is no timeline: ${shown.stderr}\n`);
  process.stdout.write("::endgroup::\n");
  if (shown.status !== 0) return;
  const page = join(temporary, "kintsugi-timeline.html");
  const played = spawnSync(process.execPath, [...timeline, "--output", "html"], { maxBuffer: 256 * 1024 * 1024 });
  if (played.status !== 0) return;
  writeFileSync(page, played.stdout);
  output({ page });
}

function program(directory) {
  return join(directory, "node_modules", "kintsugi", "bin", "kintsugi");
}

function asRoot(words) {
  return process.getuid?.() === 0 ? words : ["sudo", ...words];
}

function output(values) {
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, lines.join(""));
  else process.stdout.write(lines.join(""));
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
