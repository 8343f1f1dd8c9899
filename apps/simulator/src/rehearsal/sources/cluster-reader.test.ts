import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { isApiError } from "@kintsugi/api";
import { rehearsedKinds } from "@kintsugi/rehearsal";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openLiveCluster } from "./cluster-reader.ts";

const directory = mkdtempSync(join(tmpdir(), "rehearsal-reader-"));
const kubeconfig = join(directory, "config");

/** A kubeconfig whose user logs in by a separate program, which only kubectl can run. */
const text = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  "current-context": "a",
  contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
  clusters: [{ name: "a", cluster: { server: "https://127.0.0.1:1" } }],
  users: [{ name: "a", user: { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "login" } } }],
});

/** A program in place of kubectl, which records its arguments. */
function kubectlThat(script: string): void {
  const program = join(directory, "kubectl");
  writeFileSync(program, `#!/bin/sh\necho "$@" >> ${directory}/words\n${script}\n`);
  chmodSync(program, 0o755);
}

beforeAll(() => {
  writeFileSync(kubeconfig, text);
  vi.stubEnv("PATH", `${directory}${delimiter}/usr/bin${delimiter}/bin`);
});

afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

const pods = rehearsedKinds.find(({ kind }) => kind.type.resource === "pods");

async function watched(): Promise<string[]> {
  const reader = openLiveCluster(kubeconfig, "a");
  const seen: string[] = [];
  if (pods === undefined) throw new Error("there are no pods");
  for await (const { type, object } of reader.watch(pods, "7", new AbortController().signal))
    seen.push(`${type} ${(object["metadata"] as { resourceVersion: string }).resourceVersion}`);
  return seen;
}

const event = (type: string, object: object) => `echo '${JSON.stringify({ type, object })}'`;

test("a user with an exec credential plugin is read and watched by kubectl, with get only", async () => {
  kubectlThat(
    [
      event("MODIFIED", { metadata: { resourceVersion: "8" } }),
      event("BOOKMARK", { metadata: { resourceVersion: "9" } }),
    ].join("\n"),
  );
  expect(await watched()).toEqual(["MODIFIED 8", "BOOKMARK 9"]);
  const words = readFileSync(join(directory, "words"), "utf8");
  expect(words).toContain(`--kubeconfig ${kubeconfig} --context a get --raw /api/v1/pods?watch=1`);
  expect(words).toContain("resourceVersion=7");
});

test("kubectl reads from an address without encryption, such as that of kubectl proxy", async () => {
  const open = join(directory, "open");
  const user = [{ name: "a", user: { token: "t" } }];
  writeFileSync(open, JSON.stringify({ ...JSON.parse(text), users: user }).replace("https://", "http://"));
  kubectlThat(`echo '{"items":[]}'`);
  expect(await openLiveCluster(open, "a").get("/api/v1/pods")).toEqual({ items: [] });
});

test("the advice that a login program's error carries is not part of the sentence", async () => {
  kubectlThat("printf 'exec: executable login not found\\n\\nTo learn more, consult the page\\n' >&2; exit 1");
  await expect(openLiveCluster(kubeconfig, "a").get("/api/v1/pods")).rejects.toThrow(/login not found$/);
});

test("an expired revision and a missing permission are handled as for other users", async () => {
  kubectlThat(event("ERROR", { code: 410, message: "too old resource version" }));
  await expect(watched()).rejects.toSatisfy((error) => isApiError(error, "Expired"));
  kubectlThat("echo 'Error from server (Forbidden): pods is forbidden' >&2; exit 1");
  await expect(watched()).rejects.toSatisfy((error) => isApiError(error, "Forbidden"));
});
