import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newestKubectl, sayWhyNot } from "../support/host-abilities.ts";
import { repository } from "../support/lab-cluster.ts";
import { mustRun } from "../support/run-program.ts";

// controller-runtime is not packaged in Debian, so a program repeats its envtest: the certificates,
// flags, health checks and time limits follow its sources, in Go.

const go = "/usr/bin/go";
const lacking = existsSync(go) ? (newestKubectl() ? undefined : "no kubectl") : "no Go: apt-get install golang-go";
const skip = sayWhyNot("a suite of envtest", lacking);

let directory: string;
let assets: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "kintsugi-envtest-"));
  if (skip) return;
  const environment = { GOFLAGS: "-mod=mod", GOPROXY: "off", GOCACHE: join(directory, "cache") };
  const sources = join(import.meta.dirname, "envtest");
  await mustRun("sh", ["-c", 'cd "$0" && "$1" build -o "$2" .', sources, go, join(directory, "suite")], {
    env: environment,
    timeoutMs: 170_000,
  });
  const words = [join(repository, "bin/kintsugi"), "envtest-assets", "--directory", join(directory, "assets")];
  assets = (await mustRun(process.execPath, words)).trim();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function suite(controllers: "on" | "off"): Promise<object> {
  const env = { KUBEBUILDER_ASSETS: assets, KINTSUGI_ENVTEST_CONTROLLERS: controllers };
  return JSON.parse(await mustRun(join(directory, "suite"), [], { env, timeoutMs: 120_000 })) as object;
}

const always = { widget: 201, refused: 418, kubectl: "widget.example.com/allowed" };

test.skipIf(skip)("a suite starts with a definition, a webhook, and working controllers", async () => {
  expect(await suite("on")).toMatchObject({ ...always, namespaceEnded: true, available: true });
});

test.skipIf(skip)("a suite that expects no controllers has none", async () => {
  expect(await suite("off")).toMatchObject({ ...always, namespaceEnded: false, available: false });
});
