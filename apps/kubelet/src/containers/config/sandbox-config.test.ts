import { type PodSpec, runtimeClasses } from "@kintsugi/api";
import { expect, test } from "vitest";
import type { PodSandboxConfig } from "@kintsugi/cri";
import { scripted } from "../../testing/builders.ts";
import { withNode } from "../../testing/test-node.ts";

const second = 1000;

test.each<[string, Partial<PodSpec>, RegExp]>([
  [
    "has a name that is too long",
    { setHostnameAsFQDN: true, hostname: "h".repeat(40), subdomain: "s".repeat(40) },
    /Failed to construct FQDN from Pod hostname and cluster domain, FQDN h+\.s+\.default\.svc\.cluster\.local is too long \(64 characters is the max, 107 characters requested\)/,
  ],
  [
    "names a missing class",
    { runtimeClassName: "kata" },
    /Failed to create pod sandbox: failed to get sandbox runtime: RuntimeClass "kata" not found/,
  ],
])("a pod that %s gets no sandbox, and an event states the reason", (_, spec, message) =>
  withNode(async (node) => {
    await node.createPod("p", { containers: [scripted("c", "run")], ...spec });
    await node.clock.advance(second);
    expect(await node.runtime.listPodSandboxes()).toEqual([]);
    const told = (await node.events()).find((event) => event.startsWith("FailedCreatePodSandBox"));
    expect(told).toMatch(message);
  }),
);

test("a pod with a runtime class runs with the class's handler", () =>
  withNode(async (node) => {
    await node.client.create(runtimeClasses, { metadata: { name: "kata" }, handler: "kata-qemu" });
    await node.createPod("p", { runtimeClassName: "kata", containers: [scripted("c", "run")] });
    await node.createPod("q", { containers: [scripted("c", "run")] });
    await node.clock.advance(2 * second);
    const configs = node.runtime.callsOf("runPodSandbox").map(({ args }) => args[0] as PodSandboxConfig);
    expect(configs.map(({ metadata, runtimeHandler }) => [metadata.name, runtimeHandler])).toEqual([
      ["p", "kata-qemu"],
      ["q", ""],
    ]);
    expect((await node.pod("p")).status?.phase).toBe("Running");
  }));

test("a pod's hostname override replaces the pod's name, including in its hosts file", () =>
  withNode(async (node) => {
    const containers = [{ name: "c", image: "script.kintsugi.dev/run" }];
    await node.createPod("p", { hostname: "h", subdomain: "s", hostnameOverride: "web.example.org", containers });
    await node.clock.advance(2000);
    const config = node.runtime.callsOf("runPodSandbox").at(-1)?.args[0] as { hostname: string };
    expect(config.hostname).toBe("web.example.org");
    const [hosts = ""] = [...node.files.entries().keys()].filter((path) => path.endsWith("/etc-hosts"));
    const text = Buffer.from(node.files.readTail(hosts, 10_000) ?? []).toString();
    expect(text).toMatch(/^[0-9.]+\tweb\.example\.org$/m);
  }));
