import { expect, test } from "vitest";
import { withNode } from "../../testing/test-node.ts";

test("a variable is read from a file in an emptyDir that another container has written", () =>
  withNode(async (node) => {
    const fileKeyRef = { volumeName: "config", path: "app/config.env", key: "ADDRESS" };
    const optional = { name: "OTHER", valueFrom: { fileKeyRef: { ...fileKeyRef, key: "NONE", optional: true } } };
    await node.createPod("p", {
      volumes: [{ name: "config", emptyDir: {} }],
      containers: [
        {
          name: "c",
          image: "script.kintsugi.dev/run",
          env: [{ name: "ADDRESS", valueFrom: { fileKeyRef } }, optional, { name: "URL", value: "http://$(ADDRESS)" }],
        },
      ],
    });
    await node.clock.advance(5000);
    const waiting = async () => (await node.pod("p")).status?.containerStatuses?.[0]?.state?.waiting;
    const file = 'environment variable file "app/config.env" of volume "config"';
    expect(await waiting()).toEqual({
      reason: "CreateContainerConfigError",
      message: `failed to open ${file}: no such file`,
    });
    const { uid } = (await node.pod("p")).metadata;
    const [directory = ""] = [...node.files.entries().keys()].filter((path) =>
      path.endsWith(`${uid}/volumes/kubernetes.io~empty-dir/config`),
    );
    await node.files.write(`${directory}/app/config.env`, "ADDRESS=db\n");
    await node.clock.advance(60_000);
    expect((await waiting())?.message).toBe(
      `couldn't parse ${file}: invalid environment variable format at line 1: value must be enclosed in single quotes`,
    );
    await node.files.write(`${directory}/app/config.env`, "# made by init\nADDRESS='db'\n");
    await node.clock.advance(60_000);
    expect(await node.running()).toEqual(["p/c#0"]);
    const created = node.runtime.callsOf("createContainer").at(-1)?.args[0] as
      | { config: { envs: { key: string; value: string }[] } }
      | undefined;
    const own = created?.config.envs.filter(({ key }) => ["ADDRESS", "OTHER", "URL"].includes(key));
    expect(own).toEqual([
      { key: "ADDRESS", value: "db" },
      { key: "URL", value: "http://db" },
    ]);
  }));
