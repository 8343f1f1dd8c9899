import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandsOf } from "../support/documented-commands.ts";
import { newestKubectl } from "../support/host-abilities.ts";
import { type KubernetesObject, repository } from "../support/lab-cluster.ts";
import { eventually, type ProgramResult, runProgram } from "../support/run-program.ts";
import { type DockerHost, findDockerHost } from "./docker-host.ts";

const directory = join(repository, "deploy/compose");
const project = `kintsugi-test-${process.pid}`;
const nodeNames = ["node-1", "node-2", "node-3"];
/** The settings avoid all ports of programs that listen on their usual ports. */
const settings = {
  COMPOSE_PROJECT_NAME: project,
  KINTSUGI_PROFILE: "fast",
  KINTSUGI_SUBNET: "117",
  KINTSUGI_API_PORT: "26443",
  PROMETHEUS_PORT: "29090",
  GRAFANA_PORT: "23000",
  DOCS_PORT: "28000",
};

let host: DockerHost;
let documented: string[];
const ran = new Set<string>();

beforeAll(async () => {
  if (newestKubectl() === undefined) throw new Error("kubectl is missing");
  documented = commandsOf(await readFile(join(directory, "README.md"), "utf8"));
  host = await findDockerHost();
});

afterAll(async () => {
  if (host === undefined) return;
  await sh("docker compose --profile monitoring --profile docs down -v --remove-orphans");
  await host[Symbol.asyncDispose]();
});

function sh(line: string, environment: Readonly<Record<string, string>> = {}): Promise<ProgramResult> {
  const env = { ...host.environment, ...settings, ...environment };
  return runProgram("sh", ["-c", `cd ${directory} && ${line}`], { env, timeoutMs: 600_000 });
}

/** Runs a command that the README has, as a reader would. */
async function documentedCommand(line: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
  expect(documented).toContain(line);
  ran.add(line);
  return succeeded(line, await sh(line, environment));
}

function succeeded(line: string, result: ProgramResult): string {
  if (result.code !== 0) throw new Error(`${line} ended with ${result.code}: ${result.stdout}${result.stderr}`);
  return result.stdout;
}

async function docker(...args: string[]): Promise<string> {
  const result = await runProgram("docker", args, { env: { ...host.environment } });
  return succeeded(`docker ${args.join(" ")}`, result).trim();
}

async function get<T = KubernetesObject>(...args: string[]): Promise<T[]> {
  const all = ["--kubeconfig", join(directory, "output/kubeconfig"), "get", ...args, "-o", "json"];
  const result = await runProgram(newestKubectl() ?? "kubectl", all);
  return (JSON.parse(succeeded(`kubectl ${all.join(" ")}`, result)) as { items: T[] }).items;
}

const isReady = (object: KubernetesObject) =>
  object.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;

async function readyNodes(): Promise<string[]> {
  return (await get("nodes")).filter(isReady).map((node) => node.metadata.name);
}

async function servingPods(): Promise<KubernetesObject[]> {
  return (await get("pods", "-l", "app=web")).filter(
    (pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined,
  );
}

async function containerOf(service: string): Promise<string> {
  const labels = [`com.docker.compose.project=${project}`, `com.docker.compose.service=${service}`];
  return docker("ps", "-aq", ...labels.flatMap((label) => ["--filter", `label=${label}`]));
}

async function stateOf(service: string): Promise<{ pid: number; startedAt: string; health: string }> {
  const id = await containerOf(service);
  const text = await docker("inspect", "-f", "{{.State.Pid}} {{.State.StartedAt}} {{.State.Health.Status}}", id);
  const [pid = "0", startedAt = "", health = ""] = text.split(" ");
  return { pid: Number(pid), startedAt, health };
}

test("the images are built", { timeout: 900_000 }, async () => {
  succeeded("build", await sh("docker compose build"));
  expect(await docker("images", "--format", "{{.Repository}}")).toContain("kintsugi");
});

test("three nodes are Ready soon afterwards", async () => {
  const startedMs = performance.now();
  succeeded("up", await sh("docker compose up -d"));
  const upMs = performance.now();
  await eventually("three Ready nodes", async () => (await readyNodes()).length === 3);
  const readyMs = performance.now();
  console.log(`up took ${seconds(upMs - startedMs)}, then ${seconds(readyMs - upMs)} to three Ready nodes`);
  // Checks whether the images are current, and finds that they are.
  await documentedCommand("docker compose up --build -d");
  await eventually("three Ready nodes", async () => (await readyNodes()).length === 3);
  const nodes = await documentedCommand("kubectl --kubeconfig output/kubeconfig get nodes");
  for (const name of nodeNames) expect(nodes).toMatch(new RegExp(`^${name} +Ready`, "m"));
});

test("pods run, reach each other across nodes, and have logs", async () => {
  await documentedCommand("kubectl --kubeconfig output/kubeconfig apply -f ../../demo/web.yaml");
  const pods = await eventually("six pods serve", async () => {
    const serving = await servingPods();
    return serving.length === 6 && serving;
  });
  expect(new Set(pods.map((pod) => pod.spec.nodeName)).size).toBe(3);
  const target = pods.find((pod) => pod.spec.nodeName === "node-2");
  const ask = `fetch("http://${target?.status.podIP}/").then((r) => r.text()).then(console.log)`;
  for (const service of ["node-1", "api-server"]) {
    expect(await docker("exec", await containerOf(service), "node", "-e", ask)).toBe(target?.metadata.name);
  }
});

test("a pod reaches the API with its ServiceAccount's token, and resolves its node's names", async () => {
  const admin = "kubectl --kubeconfig output/kubeconfig";
  const grant = `${admin} create rolebinding pods-look --clusterrole=view --serviceaccount=default:default`;
  succeeded(grant, await sh(grant));
  const [pod] = await servingPods();
  const inPod = async (command: string): Promise<string> => {
    const line = `${admin} exec ${pod?.metadata.name} -- sh -c '${command}'`;
    return succeeded(line, await sh(line));
  };
  const identity = "/var/run/secrets/kubernetes.io/serviceaccount";
  const [TOKEN, CA, place] = await Promise.all([
    inPod(`cat ${identity}/token`),
    inPod(`cat ${identity}/ca.crt`),
    inPod("echo $KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT").then((text) => text.trim()),
  ]);
  expect(place).toBe(`10.${settings.KINTSUGI_SUBNET}.240.1:443`);
  // The script uses the pod's own token, from its network. busybox's own TLS is too old for today's
  // servers, so the node's Node.js sends the request.
  const script = `
    const { TOKEN, CA } = process.env;
    const headers = { authorization: "Bearer " + TOKEN };
    const options = { ca: CA, headers };
    require("https").get("https://${place}/api/v1/namespaces/default/pods", options, (answer) => {
      let text = "";
      answer.on("data", (chunk) => (text += chunk)).on("end", () => console.log(answer.statusCode, text));
    });`;
  const node = await containerOf(pod?.spec.nodeName ?? "");
  const tasks = await docker("exec", node, "ctr", "-n", "k8s.io", "tasks", "ls");
  const id = pod?.status.containerStatuses?.[0]?.containerID?.replace("containerd://", "") ?? "";
  const pid = new RegExp(`^${id} +(\\d+)`, "m").exec(tasks)?.[1];
  const variables = Object.entries({ TOKEN, CA }).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  const answer = await docker("exec", ...variables, node, "nsenter", `--net=/proc/${pid}/ns/net`, "node", "-e", script);
  expect(answer).toMatch(/^200 /);
  expect(answer).toContain(`"name":"${pod?.metadata.name}"`);
  // The pod resolves Docker's names, and the cluster's.
  expect(await inPod("nslookup api-server.")).toContain(`10.${settings.KINTSUGI_SUBNET}.0.10`);
  expect(await inPod("nslookup kubernetes.default.svc.cluster.local")).toContain(
    `10.${settings.KINTSUGI_SUBNET}.240.1`,
  );
});

test("a killed node's pods are replaced, and the node returns without its lost pods", async () => {
  const before = (await servingPods()).filter((pod) => pod.spec.nodeName === "node-2").map((pod) => pod.metadata.uid);
  await documentedCommand("docker compose kill node-2");
  await eventually("six pods serve elsewhere", async () => {
    const serving = await servingPods();
    return serving.length === 6 && serving.every((pod) => pod.spec.nodeName !== "node-2");
  });
  await documentedCommand("kubectl --kubeconfig output/kubeconfig get nodes,pods -o wide");
  await documentedCommand("docker compose start node-2");
  await eventually("three Ready nodes", async () => (await readyNodes()).length === 3);
  const gone = await eventually("its leftovers are removed", async () => {
    const known = (await get("pods")).map((pod) => pod.metadata.uid);
    const containers = await docker(
      "exec",
      await containerOf("node-2"),
      "ctr",
      "-n",
      "k8s.io",
      "containers",
      "ls",
      "-q",
    );
    return containers === "" && before.every((uid) => !known.includes(uid));
  });
  expect(gone).toBe(true);
});

test("Prometheus scrapes every service, and Grafana loads its dashboards", async () => {
  await documentedCommand("docker compose --profile monitoring up -d");
  const targets = await eventually("every target is up", async () => {
    const response = await fetch(`http://127.0.0.1:${settings.PROMETHEUS_PORT}/api/v1/targets`);
    const { data } = (await response.json()) as {
      data: { activeTargets: { labels: { job: string }; health: string; lastError: string }[] };
    };
    const down = data.activeTargets.filter(({ health }) => health !== "up");
    if (down.length > 0) throw new Error(JSON.stringify(down));
    return data.activeTargets.length > 0 && data.activeTargets;
  });
  expect(targets.map(({ labels }) => labels.job).sort()).toEqual([
    "apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kubelet",
    "kubelet",
    "kubelet",
    "prometheus",
  ]);
  const answer = await fetch(`http://127.0.0.1:${settings.PROMETHEUS_PORT}/api/v1/rules`);
  const { data } = (await answer.json()) as { data: { groups: { rules: { name: string; health: string }[] }[] } };
  const rules = data.groups.flatMap((group) => group.rules);
  expect(rules.map(({ name }) => name)).toContain("KubeAPIDown");
  expect(rules.filter(({ health }) => health === "err")).toEqual([]);
  const provisioned = await docker("exec", await containerOf("grafana"), "find", "/etc/grafana", "-name", "*.json");
  expect(provisioned.split("\n").sort()).toEqual([
    "/etc/grafana/dashboards/control-plane.json",
    "/etc/grafana/dashboards/recovery.json",
  ]);
});

test("the documents are served, with the playground", { timeout: 900_000 }, async () => {
  await documentedCommand("docker compose --profile docs up --build -d");
  const site = `http://127.0.0.1:${settings.DOCS_PORT}`;
  const tutorial = await eventually("the site answers", () =>
    fetch(`${site}/docs/tutorial.html`).catch(() => undefined),
  );
  expect(await tutorial.text()).toContain("A first recovery in five minutes");
  const playground = await fetch(`${site}/playground/`);
  expect([playground.status, await playground.text()]).toEqual([200, expect.stringContaining("the playground")]);
});

test("a container that exits is restarted and the cluster recovers, for every container", async () => {
  const listed = succeeded("config", await sh("docker compose --profile monitoring config --services"));
  const services = listed
    .trim()
    .split("\n")
    .filter((service) => service !== "identities");
  expect(services.length).toBe(9);
  for (const service of services) {
    const before = await stateOf(service);
    // The process ends as in a crash: Docker does not restart a container that a person killed
    // through Docker.
    process.kill(before.pid, "SIGKILL");
    await eventually(
      `${service} runs again and is healthy`,
      async () => {
        const now = await stateOf(service);
        return now.startedAt !== before.startedAt && now.pid !== 0 && now.health === "healthy";
      },
      60_000,
    );
    await eventually(
      `three Ready nodes and six pods after ${service} died`,
      async () => {
        return (await readyNodes()).length === 3 && (await servingPods()).length === 6;
      },
      60_000,
    );
  }
});

test("the demo runs on any cluster whose nodes a command can power off", async () => {
  await sh("kubectl --kubeconfig output/kubeconfig delete -f ../../demo/web.yaml");
  await eventually("the web servers are gone", async () => (await get("pods", "-l", "app=web")).length === 0);
  const options = [
    "--json --on kubeconfig --kubeconfig output/kubeconfig --profile fast",
    "--stop-node-command 'docker compose kill $NODE'",
    "--start-node-command 'docker compose start $NODE'",
  ];
  const shell = "--node-shell-command 'docker compose exec -T $NODE sh -c \"$COMMAND\"'";
  const line = `node ../../bin/kintsugi demo ${options.join(" ")} ${shell}`;
  const { observed, phases } = JSON.parse(succeeded(line, await sh(line))) as { observed: boolean; phases: unknown[] };
  expect([observed, phases.length]).toEqual([true, 12]);
  const gone = await eventually("its pods are gone", async () => (await get("pods", "-l", "app=web")).length === 0);
  expect(gone).toBe(true);
});

test("down removes all containers, networks and volumes", async () => {
  await documentedCommand("docker compose --profile monitoring --profile docs down -v");
  for (const kind of ["ps -aq", "volume ls -q", "network ls -q"]) {
    const left = await docker(...kind.split(" "), "--filter", `label=com.docker.compose.project=${project}`);
    expect([kind, left]).toEqual([kind, ""]);
  }
});

test("every scenario of the demo passes on compose", async () => {
  await documentedCommand("npm run demo -- --on compose");
  expect(await docker("ps", "-aq", "--filter", "label=com.docker.compose.project=kintsugi-demo")).toBe("");
});

test("every command of the README was run", () => {
  expect(documented.filter((line) => !ran.has(line))).toEqual([]);
});

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
