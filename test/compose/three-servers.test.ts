import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newestKubectl } from "../support/host-abilities.ts";
import { repository } from "../support/lab-cluster.ts";
import { eventually, type ProgramResult, runProgram } from "../support/run-program.ts";
import { type DockerHost, findDockerHost } from "./docker-host.ts";

// The composed cluster with the profile ha: one of each kind of container ends, and kubectl
// continues through the balancer.

const output = mkdtempSync(join(tmpdir(), "kintsugi-compose-ha-"));
const settings = {
  COMPOSE_PROJECT_NAME: `kintsugi-ha-${process.pid}`,
  KINTSUGI_PROFILE: "fast",
  KINTSUGI_SERVERS: "3",
  KINTSUGI_SUBNET: "118",
  KINTSUGI_API_PORT: "26453",
  KINTSUGI_BALANCER_PORT: "26454",
  KINTSUGI_OUTPUT: output,
};

let host: DockerHost;

beforeAll(async () => {
  if (newestKubectl() === undefined) throw new Error("kubectl is missing");
  host = await findDockerHost();
});

afterAll(async () => {
  if (host !== undefined) {
    await compose("down -v --remove-orphans");
    await host[Symbol.asyncDispose]();
  }
  rmSync(output, { recursive: true, force: true });
});

function sh(line: string): Promise<ProgramResult> {
  const env = { ...host.environment, ...settings };
  return runProgram("sh", ["-c", `cd ${join(repository, "deploy/compose")} && ${line}`], { env, timeoutMs: 600_000 });
}

async function compose(line: string): Promise<string> {
  const { code, stdout, stderr } = await sh(`docker compose --profile ha ${line}`);
  expect([line, code, code === 0 ? "" : stderr]).toEqual([line, 0, ""]);
  return stdout;
}

function kubectl(line: string): Promise<ProgramResult> {
  return sh(`kubectl --kubeconfig ${join(output, "kubeconfig")} --request-timeout=20s ${line}`);
}

/** Creates an object, and retries if the connection ended with its server. */
async function writes(name: string): Promise<void> {
  await eventually(
    `kubectl writes ${name}`,
    async () => {
      const { code, stderr } = await kubectl(`create configmap ${name} --from-literal=name=${name}`);
      return code === 0 || stderr.includes("already exists");
    },
    60_000,
  );
  expect(await kubectl(`get configmap ${name} -o jsonpath={.data.name}`)).toMatchObject({ code: 0, stdout: name });
}

async function isHealthy(service: string): Promise<boolean> {
  const id = (await compose(`ps -q ${service}`)).trim();
  const { stdout } = await sh(`docker inspect --format '{{.State.Health.Status}}' ${id}`);
  return stdout.trim() === "healthy";
}

const services =
  "etcd-1 etcd-2 etcd-3 nats nats-2 nats-3 api-server api-server-2 api-server-3 scheduler scheduler-2 controller-manager controller-manager-2 balancer".split(
    " ",
  );

test("every container of the control plane is healthy, and three servers list each other", async () => {
  await compose("up --build -d");
  for (const service of services) await eventually(`${service} is healthy`, () => isHealthy(service), 120_000);
  await eventually("three nodes are Ready", async () => {
    const { stdout } = await kubectl("get nodes --no-headers");
    return stdout.match(/ Ready /g)?.length === 3;
  });
  const { stdout } = await kubectl("get leases -n kube-system -o name");
  expect(stdout.match(/apiserver-/g)).toHaveLength(3);
});

test.each(["etcd-1", "nats", "api-server", "scheduler", "controller-manager"])(
  "%s is killed, and the cluster continues until it returns",
  async (service) => {
    await compose(`kill ${service}`);
    await writes(`without-${service}`);
    const deployment = `web-${service}`;
    await eventually(
      "pods are made and bound",
      async () => {
        await kubectl(`create deployment ${deployment} --image=busybox:1 -- sleep 1d`);
        const { stdout } = await kubectl(`get deployment ${deployment} -o 'jsonpath={.status.readyReplicas}'`);
        return stdout === "1";
      },
      60_000,
    );
    await compose(`start ${service}`);
    await eventually(`${service} is healthy again`, () => isHealthy(service), 60_000);
    await writes(`with-${service}`);
    expect(await isHealthy(service)).toBe(true);
  },
);
