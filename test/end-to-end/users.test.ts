import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSigningRequest } from "@kintsugi/pki";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newestKubectl, sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { type LabCluster, repository, startLabCluster } from "../support/lab-cluster.ts";
import { eventually, type ProgramResult, runProgram } from "../support/run-program.ts";

const cannot = sayWhyNot("users with certificates", whyNoClusters());
const signer = "kubernetes.io/kube-apiserver-client";

describe.skipIf(cannot)("a user with a certificate", () => {
  let cluster: LabCluster;
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-users-"));
  beforeAll(async () => {
    cluster = await startLabCluster({ name: "users", nodes: 1 });
    mkdirSync(join(directory, "bin"));
    symlinkSync(newestKubectl() ?? "", join(directory, "bin/kubectl"));
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  /** Runs a script like a reader, with the kubectl under test. */
  function shell(script: string): Promise<ProgramResult> {
    const env = { KUBECONFIG: cluster.kubeconfig, PATH: `${directory}/bin:${process.env["PATH"]}` };
    return runProgram("bash", ["-euo", "pipefail", "-c", `cd ${directory}\n${script}`], { env });
  }

  async function request(name: string, asked: { commonName: string; organizations?: string[] }, usages: string[]) {
    const csr = Buffer.from((await createSigningRequest(asked)).request).toString("base64");
    const spec = { request: csr, signerName: signer, usages };
    const kind = { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest" };
    return cluster.tryKubectl(["create", "-f", "-"], { input: JSON.stringify({ ...kind, metadata: { name }, spec }) });
  }

  interface Status {
    conditions?: { type: string; reason: string; message: string }[];
    certificate?: string;
  }
  const statusOf = async (name: string) => (await cluster.get<{ status?: Status }>("csr", name)).status ?? {};

  test("is created as the recipe states, is identified by name and groups, and has the role's rights", async () => {
    const page = readFileSync(join(repository, "docs/recipes/give-a-colleague-access.md"), "utf8");
    const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
    expect(blocks).toHaveLength(4);
    const done = await shell(blocks.join("\n"));
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toMatch(/subject=.*developers.*jane/);
    expect(done.stdout).toMatch(/Username\s+jane\n/);
    expect(done.stdout).toMatch(/Groups\s+\[developers system:authenticated\]/);
    const as = (...words: string[]) => shell(`kubectl --kubeconfig jane.kubeconfig ${words.join(" ")}`);
    expect(await as("create configmap hers --from-literal=a=b")).toMatchObject({ code: 0 });
    expect((await as("get nodes")).stderr).toContain('User "jane" cannot list resource "nodes"');
    expect((await shell("openssl x509 -in jane.crt -noout -ext extendedKeyUsage")).stdout).toContain("Client");
    const end = await shell('date -u -d "$(openssl x509 -in jane.crt -noout -enddate | cut -d= -f2)" +%s');
    const { metadata } = await cluster.get<{ metadata: { creationTimestamp: string } }>("csr", "jane");
    const wanted = await shell(`date -u -d "${metadata.creationTimestamp}" +%s`);
    expect(Number(end.stdout) - Number(wanted.stdout) - 2_592_000).toBeLessThan(120);
    expect(Number(end.stdout) - Number(wanted.stdout) - 2_592_000).toBeGreaterThanOrEqual(0);
    expect(await cluster.kubectl("get", "csr", "jane")).toMatch(/Approved,Issued/);
  });

  test("is not created from a request that is not approved or is denied", async () => {
    const asked = { commonName: "john" };
    expect(await request("pending", asked, ["client auth"])).toMatchObject({ code: 0 });
    expect(await request("denied", asked, ["client auth"])).toMatchObject({ code: 0 });
    expect(await request("after", asked, ["client auth"])).toMatchObject({ code: 0 });
    await cluster.kubectl("certificate", "deny", "denied");
    await cluster.kubectl("certificate", "approve", "after");
    await eventually("a later one is signed", async () => (await statusOf("after")).certificate);
    expect(await statusOf("pending")).toEqual({});
    expect((await statusOf("denied")).certificate).toBeUndefined();
  });

  test("is not created with a usage other than a client's, and the reason is reported", async () => {
    expect(await request("server", { commonName: "john" }, ["server auth"])).toMatchObject({ code: 0 });
    await cluster.kubectl("certificate", "approve", "server");
    const failed = await eventually("the verdict", async () =>
      (await statusOf("server")).conditions?.find(({ type }) => type === "Failed"),
    );
    expect(failed).toMatchObject({
      reason: "SignerValidationFailure",
      message: "invalid usage for client certificate: server auth",
    });
    expect((await statusOf("server")).certificate).toBeUndefined();
  });

  test("of the group with all rights is rejected immediately", async () => {
    const refused = await request("root", { commonName: "root", organizations: ["system:masters"] }, ["client auth"]);
    expect(refused.stderr).toContain(
      `certificatesigningrequests.certificates.k8s.io "root" is forbidden: use of ${signer} signer with system:masters group is not allowed`,
    );
  });
});
