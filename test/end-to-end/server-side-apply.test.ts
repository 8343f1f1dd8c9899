import { basename } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findKubectls, sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../support/lab-cluster.ts";

const kubectls = [...findKubectls()];
const lacking = whyNoKubectlCluster();
sayWhyNot("server-side apply with real kubectls", lacking);

const oldestAndNewest = kubectls.filter((_, index) => index === 0 || index === kubectls.length - 1);

interface Manifest {
  replicas?: number;
  env?: string;
  labels?: string;
  /** The rest of the pod's spec. */
  pod?: string;
}

let cluster: LabCluster;
if (lacking === undefined) {
  beforeAll(async () => {
    cluster = await startLabCluster({ name: "apply", nodes: 1 });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());
}

/** A file without tests would fail. */
const oneAtLeast: [string, string][] = lacking === undefined ? oldestAndNewest : [["of no version", ""]];
const both = describe.skipIf(lacking !== undefined).concurrent.each(oneAtLeast);
both("kubectl %s", (version, program) => {
  // Scaling names no manager, so the program's own name is used.
  const scaler = JSON.stringify(basename(program));
  const named = (prefix: string) => `${prefix}-${version.replaceAll(".", "-").toLowerCase()}`;
  const manifest = (name: string, { replicas, env, labels = "{}", pod = "" }: Manifest) => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  labels: ${labels}
spec:
  ${replicas === undefined ? "" : `replicas: ${replicas}`}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      terminationGracePeriodSeconds: 0
      ${pod}
      containers:
      - name: c
        image: busybox:1
        command: [sleep, "3600"]
        ports: [{containerPort: 80}]
        ${env === undefined ? "" : `env: [{name: ${env}, value: "1"}]`}
`;
  const run = (args: string, input?: string) =>
    cluster.tryKubectl(args.split(" "), { program, ...(input === undefined ? {} : { input }) });
  /** Returns the output. @throws Error with the output when the command failed. */
  const ok = async (args: string, input?: string) => {
    const result = await run(args, input);
    if (result.code !== 0)
      throw new Error(`kubectl ${args} ended with ${result.code}: ${result.stdout}${result.stderr}`);
    return result.stdout;
  };
  const apply = "apply --server-side -f -";
  interface Stored {
    metadata: {
      resourceVersion: string;
      labels?: Record<string, string>;
      managedFields: { manager: string; operation: string; subresource?: string }[];
    };
    spec: { replicas: number; template: { spec: { containers: { env?: unknown }[]; hostname?: string } } };
  }
  const stored = async (name: string) =>
    JSON.parse(await ok(`get deploy ${name} -o json --show-managed-fields`)) as Stored;
  const managers = ({ metadata }: Stored) =>
    metadata.managedFields.map(({ manager, operation }) => `${manager} ${operation}`);

  test("creates an object, does not change it the second time, and removes fields that are no longer applied", async () => {
    const web = named("web");
    expect(await ok(`${apply} --dry-run=server`, manifest(web, { replicas: 1 }))).toBe(
      `deployment.apps/${web} serverside-applied (server dry run)\n`,
    );
    expect((await run(`get deploy ${web}`)).stderr).toContain("not found");
    expect(await ok(apply, manifest(web, { replicas: 1, env: "A" }))).toBe(
      `deployment.apps/${web} serverside-applied\n`,
    );
    await ok(`rollout status deploy/${web} --timeout=60s`);
    const before = await stored(web);
    expect(managers(before)).toContain("kubectl Apply");
    await ok(apply, manifest(web, { replicas: 1, env: "A" }));
    expect((await stored(web)).metadata.resourceVersion).toBe(before.metadata.resourceVersion);

    const differs = await run("diff --server-side -f -", manifest(web, { replicas: 1, env: "B" }));
    expect(differs.code).toBe(1);
    expect(differs.stdout).toMatch(/-\s+- name: A\n\+\s+- name: B\n/);
    expect((await run("diff --server-side -f -", manifest(web, { replicas: 1, env: "A" }))).code).toBe(0);

    await ok(apply, manifest(web, { replicas: 1, labels: "{tier: front}" }));
    const after = await stored(web);
    expect(after.metadata.labels).toEqual({ tier: "front" });
    expect(after.spec.template.spec.containers[0]?.env).toBeUndefined();
    await ok(`delete deploy ${web} --timeout=30s`);
  });

  test("is notified of conflicts with other managers, and may force its changes", async () => {
    const web = named("conflict");
    await ok(apply, manifest(web, { replicas: 0 }));
    await ok(`scale deploy/${web} --replicas=1`);
    const refused = await run(apply, manifest(web, { replicas: 0 }));
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(
      `error: Apply failed with 1 conflict: conflict with ${scaler} with subresource "scale" using apps/v1: .spec.replicas\nPlease review the fields above--they currently have other managers.`,
    );
    await ok(`patch deploy ${web} --field-manager=kubectl-edit -p {"metadata":{"labels":{"tier":"back"}}}`);
    const several = await run(apply, manifest(web, { replicas: 0, labels: "{tier: front}" }));
    expect(several.stderr).toContain("error: Apply failed with 2 conflicts: conflicts with ");
    expect(several.stderr).toContain('conflicts with "kubectl-edit" using apps/v1:\n- .metadata.labels.tier\n');
    expect(several.stderr).toContain(
      `conflicts with ${scaler} with subresource "scale" using apps/v1:\n- .spec.replicas\n`,
    );
    // A manager that omits the field continues as before, because its owner keeps it.
    await ok(apply, manifest(web, {}));
    expect((await stored(web)).spec.replicas).toBe(1);
    const other = await run(`${apply} --field-manager=other`, manifest(web, { replicas: 0 }));
    expect(other.stderr).toContain(`conflict with ${scaler} with subresource "scale" using apps/v1: .spec.replicas`);
    await ok(
      `${apply} --field-manager=other --force-conflicts`,
      manifest(web, { replicas: 0, labels: "{tier: front}" }),
    );
    const forced = await stored(web);
    expect(forced.spec.replicas).toBe(0);
    expect(managers(forced)).toEqual(expect.arrayContaining(["kubectl Apply", "other Apply"]));
    expect(managers(forced)).not.toContain("kubectl-edit Update");
    expect(forced.metadata.managedFields.some(({ subresource }) => subresource === "scale")).toBe(false);
    await ok(`delete deploy ${web} --timeout=30s`);
  });

  test("takes over fields that it applied on the client", async () => {
    const web = named("migrated");
    await ok("apply -f -", manifest(web, { replicas: 0, env: "A", pod: "hostname: h" }));
    expect(managers(await stored(web))).toContain("kubectl-client-side-apply Update");
    expect(await ok(apply, manifest(web, { replicas: 0, env: "B", pod: "hostname: h" }))).toBe(
      `deployment.apps/${web} serverside-applied\n`,
    );
    const migrated = await stored(web);
    expect(managers(migrated)).toContain("kubectl Apply");
    expect(managers(migrated)).not.toContain("kubectl-client-side-apply Update");
    expect(migrated.spec.template.spec.containers[0]?.env).toEqual([{ name: "B", value: "1" }]);
    await ok(apply, manifest(web, { replicas: 0 }));
    expect((await stored(web)).spec.template.spec.hostname).toBeUndefined();
    await ok(`delete deploy ${web} --timeout=30s`);
  });

  test("receives an explanation of errors in its applied object", async () => {
    const web = named("wrong");
    const unknown = await run(
      `${apply} --validate=false`,
      manifest(web, { replicas: 0 }).replace("replicas", "replicaz"),
    );
    expect(unknown.stderr).toContain(
      `failed to create typed patch object (default/${web}; apps/v1, Kind=Deployment): .spec.replicaz: field not declared in schema`,
    );
    const twice = manifest(web, { replicas: 0 }).replace(
      "[{containerPort: 80}]",
      "[{containerPort: 80}, {containerPort: 80}]",
    );
    expect((await run(`${apply} --validate=false`, twice)).stderr).toContain(
      'duplicate entries for key [containerPort=80,protocol="TCP"]',
    );
  });
});
