import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findKubectls, KubectlLab } from "../openapi/testing/kubectl.ts";
import { cronTabDefinition } from "./testing/cron-tabs.ts";

/** The oldest kubectl reads OpenAPI 2, the newest OpenAPI 3. */
const versions = ["1.27", "1.33"];
const kubectls = [...findKubectls()].filter(([version]) => versions.includes(version));
if (kubectls.length === 0) {
  // oxlint-disable-next-line no-console -- says why the tests below are skipped
  console.info("no kubectl.1.NN beside kubectl: real clients are not tested here");
}

const cronTab = (name: string, spec: object) =>
  JSON.stringify({ apiVersion: "stable.example.com/v1", kind: "CronTab", metadata: { name }, spec });

/** A file without a test would fail. */
const oneAtLeast: [string, string][] = kubectls.length === 0 ? [["(skipped: there is no kubectl.1.NN)", ""]] : kubectls;

describe.skipIf(kubectls.length === 0).each(oneAtLeast)("kubectl %s", { timeout: 60_000 }, (_version, kubectl) => {
  const lab = new KubectlLab();
  beforeAll(() => lab.start());
  afterAll(() => lab[Symbol.asyncDispose]());

  async function succeed(args: string, input = ""): Promise<string> {
    const { exitCode, stdout, stderr } = await lab.run(kubectl, args.split(" "), input);
    expect([args, exitCode, stderr]).toEqual([args, 0, ""]);
    return stdout;
  }

  test("defines a kind, explains it, and works with its objects", async () => {
    await succeed("apply --validate=strict -f -", JSON.stringify(cronTabDefinition()));
    await succeed("wait --for=condition=Established crd/crontabs.stable.example.com --timeout=20s");
    expect(await succeed("explain crontabs.spec")).toMatch(/image\s+<string>\s+-required-/);
    await succeed("apply -f -", cronTab("a", { image: "i", replicas: 2 }));
    expect(await succeed("apply -f -", cronTab("a", { image: "j", replicas: 2 }))).toContain("configured");
    await succeed("apply --server-side -f -", cronTab("b", { image: "i" }));
    const strict = await lab.run(
      kubectl,
      ["apply", "--validate=strict", "-f", "-"],
      cronTab("c", { image: "i", imagee: "j" }),
    );
    expect([strict.exitCode, strict.stderr]).toEqual([1, expect.stringContaining('unknown field "spec.imagee"')]);
    await succeed("scale --replicas=3 ct/a");
    expect(await succeed("get ct --no-headers -o custom-columns=N:.metadata.name,R:.spec.replicas")).toMatch(
      /^a +3\nb +1\n$/,
    );
    expect(await succeed("get all")).toContain("crontab.stable.example.com/a");
    await succeed("delete ct a");
    await succeed("delete crd crontabs.stable.example.com --timeout=30s");
    expect((await lab.run(kubectl, ["get", "crd"])).stderr).toContain("No resources found");
  });
});
