import type { PodSpec, SELinuxOptions } from "@kintsugi/api";
import type { CreateContainerRequest, PodSandboxConfig } from "@kintsugi/cri";
import { expect, test } from "vitest";
import { type TestNode, withNode } from "../../testing/test-node.ts";

// The runtime gets its security settings from a pod's and its containers' security contexts.

type Contexts = { pod?: PodSpec["securityContext"]; container?: PodSpec["containers"][number]["securityContext"] };

async function create(node: TestNode, { pod, container }: Contexts): Promise<void> {
  const c = { name: "c", image: "script.kintsugi.dev/run", ...(container ? { securityContext: container } : {}) };
  await node.createPod("p", { containers: [c], ...(pod ? { securityContext: pod } : {}) });
  await node.clock.advance(5000);
}

function told(node: TestNode) {
  const sandboxes = node.runtime.callsOf("runPodSandbox").map(({ args }) => args[0] as PodSandboxConfig);
  const containers = node.runtime.callsOf("createContainer").map(({ args }) => args[0] as CreateContainerRequest);
  return { sandbox: sandboxes[0]?.linux, container: containers[0]?.config.linux.security };
}

const ofPod: SELinuxOptions = { user: "u", role: "r", type: "t", level: "s0:c1" };
const wholeOfPod = { user: "u", role: "r", type: "t", level: "s0:c1" };

test.each<[string, Contexts, object | undefined, object | undefined]>([
  ["nowhere", {}, undefined, undefined],
  ["of the pod", { pod: { seLinuxOptions: ofPod } }, wholeOfPod, wholeOfPod],
  [
    "of the container, which replaces the pod's as a whole",
    { pod: { seLinuxOptions: ofPod }, container: { seLinuxOptions: { level: "s0:c2" } } },
    wholeOfPod,
    { user: "", role: "", type: "", level: "s0:c2" },
  ],
  [
    "of the container alone",
    { container: { seLinuxOptions: { type: "spc_t" } } },
    undefined,
    { user: "", role: "", type: "spc_t", level: "" },
  ],
])("SELinux options %s are passed to the runtime", (_, contexts, ofSandbox, ofContainer) =>
  withNode(async (node) => {
    await create(node, contexts);
    expect(await node.running()).toEqual(["p/c#0"]);
    const { sandbox, container } = told(node);
    expect([sandbox?.selinux, container?.selinux]).toEqual([ofSandbox, ofContainer]);
  }),
);

const localhost = (localhostProfile?: string) => ({
  type: "Localhost" as const,
  ...(localhostProfile === undefined ? {} : { localhostProfile }),
});

test.each<[string, Contexts, object]>([
  ["nowhere", {}, { type: "Unconfined" }],
  ["of the pod", { pod: { seccompProfile: { type: "RuntimeDefault" } } }, { type: "RuntimeDefault" }],
  [
    "in a file, of the pod",
    { pod: { seccompProfile: localhost("profiles/audit.json") } },
    { type: "Localhost", localhostRef: "/kubelet/seccomp/profiles/audit.json" },
  ],
  [
    "in a file, of the container",
    { pod: { seccompProfile: { type: "Unconfined" } }, container: { seccompProfile: localhost("./audit.json") } },
    { type: "Localhost", localhostRef: "/kubelet/seccomp/audit.json" },
  ],
])("a seccomp profile %s applies to the container and never to the sandbox", (_, contexts, profile) =>
  withNode(async (node) => {
    await create(node, contexts);
    const { sandbox, container } = told(node);
    expect([container?.seccomp, sandbox?.seccomp]).toEqual([profile, { type: "RuntimeDefault" }]);
  }),
);

test.each([
  ["/etc/shadow", 'invalid localhostProfile "/etc/shadow": must be a relative path'],
  ["a/../../../x.json", "invalid localhostProfile \"a/../../../x.json\": must not contain '..'"],
  ["", "localhostProfile must be set if seccompProfile type is Localhost."],
  [undefined, "localhostProfile must be set if seccompProfile type is Localhost."],
])("a seccomp profile in %j does not exist on the node, so the container is not created", (file, message) =>
  withNode(async (node) => {
    await create(node, { pod: { seccompProfile: localhost(file) } });
    const waiting = (await node.pod("p")).status?.containerStatuses?.[0]?.state?.waiting;
    expect(waiting).toEqual({ reason: "CreateContainerConfigError", message });
    expect(told(node).container).toBeUndefined();
  }),
);
