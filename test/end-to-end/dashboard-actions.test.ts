import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, startBrowser } from "../support/dashboard/browser.ts";
import { servePage } from "../support/dashboard/serve-page.ts";
import { sayWhyNot, whyNoClusters, whyNoPackage } from "../support/host-abilities.ts";
import { type LabCluster, repository, startLabCluster } from "../support/lab-cluster.ts";
import { endWithThis, eventually } from "../support/run-program.ts";

const cannot = sayWhyNot("actions on a real cluster from its page", whyNoClusters() ?? whyNoPackage("chromium"));

let cluster: LabCluster;
let browser: Browser;
let command: ChildProcess;
let page: Page;
let printed = "";
let directory: string;

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: default }
spec:
  replicas: 3
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{ name: main, image: "busybox:1", command: [sleep, "100000"], resources: { limits: { memory: 32Mi } } }]
`;

/** The tests act on one cluster and one page in their order. */
describe.skipIf(cannot)("the page of a lab", () => {
  beforeAll(async () => {
    [cluster, browser] = await Promise.all([startLabCluster({ name: "page-x", nodes: 3 }), startBrowser()]);
    directory = await mkdtemp(join(tmpdir(), "kintsugi-actions-"));
    await cluster.apply(deployment);
    await cluster.kubectl("rollout", "status", "deployment/web", "--timeout=90s");
    const words = [join(repository, "bin/kintsugi"), "dashboard", "--name", cluster.name, "--no-open"];
    command = endWithThis(spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] }));
    command.stdout?.on("data", (piece: Buffer) => (printed += piece.toString()));
    await eventually("the address", async () => /http:\S+/.test(printed));
    page = await browser.open(/http:\S+/.exec(printed)?.[0] ?? "");
  });

  afterAll(async () => {
    command?.kill("SIGKILL");
    await browser?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  const things = () => page.getByRole("region", { name: "Nodes and pods" });
  const row = (name: RegExp) => things().getByRole("row", { name });

  async function openActions(button: string | RegExp): Promise<ReturnType<Page["getByRole"]>> {
    await things().getByRole("button", { name: button }).first().click();
    const panel = page.getByRole("dialog");
    await panel.getByRole("tab", { name: "Break" }).click();
    return panel;
  }

  async function keepPicture(name: string): Promise<void> {
    if (process.env["KINTSUGI_PICTURES"] === undefined) return;
    await mkdir(join(repository, "docs/pictures"), { recursive: true });
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(repository, `docs/pictures/dashboard-${name}.png`) });
  }

  test("kills a machine, shows its command, follows the recovery, and restores it", async () => {
    const panel = await openActions("Node node-2");
    await panel.getByText(`kintsugi node kill node-2 --name ${cluster.name}`).waitFor();
    await panel.getByRole("button", { name: "Kill the machine" }).click();
    await panel.getByText("node-2: kill is done.").waitFor();
    await row(/Node node-2/)
      .getByText("silent")
      .waitFor({ timeout: 60_000 });
    await keepPicture("action");
    const recoveries = page.getByRole("region", { name: "Recoveries" });
    await recoveries.getByText("is mended").waitFor({ timeout: 90_000 });
    await panel.getByRole("button", { name: "Undo: Switch it on again" }).click();
    await row(/Node node-2/)
      .getByText("Ready", { exact: true })
      .waitFor({ timeout: 90_000 });
    expect(await panel.getByRole("button", { name: "Kill the machine" }).isVisible()).toBe(true);
    await page.keyboard.press("Escape");
  });

  test("cordons and uncordons a node, and drains it", async () => {
    const panel = await openActions("Node node-1");
    await panel.getByRole("button", { name: "Cordon", exact: true }).click();
    await row(/Node node-1/)
      .getByText("cordoned")
      .waitFor();
    await panel.getByRole("button", { name: "Undo: Uncordon" }).click();
    await row(/Node node-1/)
      .getByText("Ready", { exact: true })
      .waitFor();
    await panel.getByRole("button", { name: "Drain", exact: true }).click();
    await panel.getByText(/node-1 is (being )?drained/).waitFor();
    await eventually("the drain", async () => {
      const listed = await cluster.kubectl("get", "pods", "-o", "jsonpath={.items[*].spec.nodeName}");
      return !listed.split(" ").includes("node-1");
    });
    await panel.getByRole("button", { name: "Undo: Uncordon" }).click();
    await row(/Node node-1/)
      .getByText("Ready", { exact: true })
      .waitFor();
    expect(await cluster.kubectl("get", "node", "node-1", "-o", "jsonpath={.spec.unschedulable}")).toBe("");
    await page.keyboard.press("Escape");
  });

  test("disconnects a cable and reconnects it, stops a kubelet and starts it", async () => {
    const panel = await openActions("Node node-3");
    for (const [fault, undo] of [
      ["Cut its cable", "Mend its cable"],
      ["Stop its kubelet", "Start its kubelet"],
    ] as const) {
      await panel.getByRole("button", { name: fault }).click();
      await panel.getByRole("button", { name: `Undo: ${undo}` }).click();
      await panel.getByRole("button", { name: fault }).waitFor();
    }
    expect((await cluster.kintsugi("node", "list")).stdout).toMatch(/node-3 +on +up +running/);
    await page.keyboard.press("Escape");
  });

  test("scales a workload, and crashes a container, which restarts", async () => {
    await page.getByRole("region", { name: "Downtime" }).getByRole("button", { name: /web/ }).click();
    const panel = page.getByRole("dialog", { name: /Deployment web/ });
    await panel.getByRole("tab", { name: "Break" }).click();
    await panel.getByRole("button", { name: "One pod less" }).click();
    await panel.getByText("web wants 2 pods now.").waitFor();
    await eventually(
      "two pods",
      async () => (await cluster.kubectl("get", "pods", "-o", "name")).trim().split("\n").length === 2,
    );
    await page.keyboard.press("Escape");
    const [pod = ""] = (await cluster.kubectl("get", "pods", "-o", "jsonpath={.items[*].metadata.name}")).split(" ");
    const own = await openActions(new RegExp(pod));
    await own.getByRole("button", { name: "Crash container main" }).click();
    await own.getByText(`Container main of ${pod} was killed.`).waitFor();
    const restarted = (times: number) =>
      eventually(
        `restart ${times}`,
        async () =>
          (await cluster.kubectl("get", "pod", pod, "-o", "jsonpath={.status.containerStatuses[0].restartCount}")) ===
          String(times),
      );
    await restarted(1);
    // The command that the page shows for the action has the same effect.
    const command = `kintsugi crash ${pod} -n default -c main --name ${cluster.name}`;
    await own.getByText(command, { exact: true }).waitFor();
    await eventually("the second crash", async () => {
      const { code, stdout } = await cluster.kintsugi(...command.split(" ").slice(1, -2));
      return code === 0 && stdout.includes(`container main of pod/${pod} was killed`);
    });
    await restarted(2);
    const wrong = await cluster.kintsugi("crash", pod, "-c", "mian");
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('has no container "mian"; it has main')]);
    expect(browser.faults).toEqual([]);
  });

  test("fills the memory of a container, which the kernel kills and its kubelet restarts", async () => {
    const pods = await cluster.kubectl("get", "pods", "-o", "jsonpath={.items[*].metadata.name}");
    const pod = pods.split(" ").at(-1) ?? "";
    await page.keyboard.press("Escape");
    const own = await openActions(new RegExp(pod));
    await own.getByText(`exec ${pod} -c main -- tail /dev/zero`).waitFor();
    await own.getByRole("button", { name: "Fill the memory of container main" }).click();
    await own.getByText(`The memory of container main of ${pod} was filled up to its limit of 32Mi.`).waitFor();
    const path = "jsonpath={.status.containerStatuses[0].lastState.terminated.reason}";
    await eventually(
      "an end that counts as out of memory",
      async () => (await cluster.kubectl("get", "pod", pod, "-o", path)) === "OOMKilled",
    );
    await page.keyboard.press("Escape");
    expect(browser.faults).toEqual([]);
  });

  test("opens a terminal in a container, with the screen's size, colors, and a message at its end", async () => {
    const [pod = ""] = (await cluster.kubectl("get", "pods", "-o", "jsonpath={.items[*].metadata.name}")).split(" ");
    await things()
      .getByRole("button", { name: new RegExp(pod) })
      .first()
      .click();
    const panel = page.getByRole("dialog");
    await panel.getByRole("tab", { name: "Terminal" }).click();
    await panel
      .getByText(`kubectl --context kintsugi-${cluster.name} -n default exec -it ${pod} -c main -- sh`)
      .waitFor();
    const open = () => panel.getByRole("button", { name: "Open a terminal" }).click();
    const screen = panel.locator(".xterm-rows");
    const type = async (line: string) => {
      await page.keyboard.type(line);
      await page.keyboard.press("Enter");
    };
    await open();
    await panel.getByText("Shift+Escape leaves the terminal").waitFor();
    await screen.getByText("/ #").first().waitFor();
    await type("stty size; echo $((6*7)) > /tmp/answer; cat /tmp/answer");
    await screen.getByText("42", { exact: true }).waitFor();
    const widthShown = async () => Number([...(await screen.innerText()).matchAll(/^\d+ (\d+)$/gm)].at(-1)?.[1]);
    const widthBefore = await widthShown();
    expect(widthBefore).toBeGreaterThan(40);
    await type("printf '\\033[38;2;1;120;3mgreen\\033[0m <img src=x onerror=alert(1)>\\n'");
    await screen.getByText("green", { exact: true }).waitFor();
    await screen.getByText("<img src=x onerror=alert(1)>", { exact: true }).waitFor();
    await keepPicture("terminal");
    // The command continues behind another tab, with its screen and its size.
    await panel.getByRole("tab", { name: "Facts" }).click();
    await panel.getByRole("heading", { name: "Containers" }).waitFor();
    expect(await screen.isVisible()).toBe(false);
    await panel.getByRole("tab", { name: "Terminal" }).click();
    await screen.getByText("42", { exact: true }).waitFor();
    await panel.locator(".xterm-screen").click();
    const colour = `getComputedStyle([...document.querySelectorAll(".xterm-rows span")]
      .findLast(({ textContent }) => textContent === "green")).color`;
    expect(await page.evaluate(colour)).toBe("rgb(1, 120, 3)");
    await page.setViewportSize({ width: 400, height: 900 });
    await type("clear; stty size");
    await expect.poll(widthShown).toBeLessThan(widthBefore);
    // Escape is sent to the command. A shell would interpret it and the keys that follow as one
    // key.
    await type("clear; echo ready; cat -v");
    await screen.getByText("ready", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Enter");
    await screen.getByText("^[", { exact: true }).first().waitFor();
    expect(await panel.isVisible()).toBe(true);
    await page.keyboard.press("Control+D");
    await page.keyboard.press("Shift+Escape");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Close it");
    await panel.locator(".xterm-screen").click();
    // Keys that are pressed before the focus would press the button, which closes the terminal.
    await expect.poll(() => page.evaluate("document.activeElement.className")).toContain("xterm-helper-textarea");
    await type("exit 3");
    await panel.getByText("The command ended with exit code 3.").waitFor();
    // Endless output can be interrupted, and a missing command has a reason.
    await open();
    await screen.getByText("/ #").first().waitFor();
    await type("yes kintsugi");
    await screen.getByText("kintsugi").first().waitFor();
    await page.waitForTimeout(1000);
    await page.keyboard.press("Control+C");
    await type("clear; cat /tmp/answer; exit");
    await panel.getByText("The command ended.").waitFor();
    await panel.getByLabel("Command").fill("no-such-program");
    await open();
    await panel
      .getByText(/no-such-program/, { exact: false })
      .nth(1)
      .waitFor();
    await eventually("no shell to be left", async () => {
      const running = await cluster.kubectl("exec", pod, "--", "ps", "-o", "comm");
      return !/^sh$|^yes$/m.test(running);
    });
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.keyboard.press("Escape");
    expect(browser.faults).toEqual([]);
  });

  test("leaves a timeline that plays as a page and opens as a trace", async () => {
    const trace = JSON.parse((await cluster.kintsugi("timeline", "-o", "perfetto")).stdout) as {
      traceEvents: { ph: string; name: string; args?: { name?: string } }[];
    };
    const tracks = trace.traceEvents.filter(({ name }) => name === "process_name").map(({ args }) => args?.name);
    expect(tracks).toEqual(expect.arrayContaining(["node-1", "node-2", "node-3"]));
    expect(trace.traceEvents.some(({ ph, name }) => ph === "s" && name === "replaced by")).toBe(true);
    const file = join(directory, "timeline.html");
    await writeFile(file, (await cluster.kintsugi("timeline", "-o", "html")).stdout);
    await using served = await servePage(file);
    page = await browser.open(served.url);
    const turns = page.getByRole("region", { name: "Turning points" });
    await turns.getByRole("button", { name: /node-2: all replacements were ready/ }).click();
    await page.getByRole("region", { name: "Recoveries" }).getByText("is mended").first().waitFor();
    await keepPicture("timeline");
    expect(browser.faults).toEqual([]);
  });
});
