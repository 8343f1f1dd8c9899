import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { deployments, events, namespaces, pods, resourceQuotas, roleBindings, services } from "@kintsugi/api";
import { aDeployment, aPod } from "@kintsugi/simulation";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Browser, startBrowser } from "../support/dashboard/browser.ts";
import { admin, type PacedCluster, startPacedCluster } from "../support/dashboard/paced-cluster.ts";
import { sayWhyNot, whyNoPackage } from "../support/host-abilities.ts";
import { repository } from "../support/lab-cluster.ts";

const cannot = sayWhyNot("pages in a browser", whyNoPackage("chromium"));

let cluster: PacedCluster;
let browser: Browser;
let url: string;

beforeAll(async () => {
  if (cannot) return;
  [cluster, browser] = await Promise.all([startPacedCluster({ nodes: 3 }), startBrowser()]);
  url = await cluster.serve(admin);
  await cluster.during((client) => client.create(deployments, aDeployment("web", 4)));
  await cluster.during((client) => client.create(deployments, aDeployment("shop", 2)));
  await cluster.skip(40_000);
});

beforeEach(({ skip }) => skip(cannot));

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

/** Stores a picture for the documentation if the run requests that. It is not a check. */
async function keepPicture(page: Page, name: string): Promise<void> {
  if (process.env["KINTSUGI_PICTURES"] === undefined) return;
  const directory = join(repository, "docs/pictures");
  await mkdir(directory, { recursive: true });
  await page.screenshot({ path: join(directory, `dashboard-${name}.png`) });
}

/** Counts the colors of the picture; an empty canvas has one. */
function coloursOf(page: Page): Promise<number> {
  return page.evaluate(`(() => {
    const canvas = document.querySelector("canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  })()`);
}

interface AxeViolation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

/** Lists the serious faults that axe-core finds. */
async function axeFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate<{ violations: AxeViolation[] }>("axe.run({ resultTypes: ['violations'] })");
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

test("the page follows a node's death to its end", async () => {
  const page = await browser.open(url);
  const downtime = page.getByRole("region", { name: "Downtime" });
  await downtime
    .getByRole("row", { name: /Deployment web/ })
    .getByText("4 of 4")
    .waitFor();
  await page.getByText("No timer is running.").waitFor();
  const node = "node-2";
  cluster.cluster.killNode(node);
  const awaited = page.getByRole("region", { name: "What is awaited" });
  await awaited.getByText("node grace period").first().waitFor();
  await awaited.getByText("toleration").first().waitFor();
  await awaited
    .getByText(/Then: The pod is deleted/)
    .first()
    .waitFor();
  expect(await coloursOf(page)).toBeGreaterThan(8);
  await page.waitForTimeout(500);
  await keepPicture(page, "death");
  const recoveries = page.getByRole("region", { name: "Recoveries" });
  await recoveries.getByText("is mended").waitFor();
  await recoveries
    .getByText(/pods? (was|were) deleted/)
    .getByText(/timer 5\.0 s, work/)
    .waitFor();
  const columns = downtime.getByRole("columnheader");
  expect(await columns.allInnerTexts()).toEqual(["Workload", "Ready", "Downtime", "Degraded", "as Kubernetes"]);
  // A header of two lines is 50 pixels high.
  expect((await columns.last().boundingBox())?.height).toBeLessThan(40);
  const row = downtime.getByRole("row", { name: /Deployment web/ });
  await row.getByText("4 of 4").waitFor();
  // The toleration of 300 s, and Kintsugi's own time.
  await row.getByText(/^5 min/).waitFor();
  await page.waitForTimeout(500);
  await keepPicture(page, "mended");
  const dead = page.getByRole("region", { name: "Nodes and pods" }).getByRole("row", { name: /Node node-2/ });
  await dead.getByText("silent").waitFor();
  cluster.cluster.returnNode(node);
  await dead.getByText("Ready", { exact: true }).waitFor();
});

describe("by keyboard", () => {
  test("an object is opened, explained, and closed again", async () => {
    const page = await browser.open(url);
    const things = page.getByRole("region", { name: "Nodes and pods" });
    const button = things.getByRole("button", { name: "Node node-1" });
    await button.focus();
    await page.keyboard.press("Enter");
    const panel = page.getByRole("dialog", { name: "Node node-1" });
    await panel.getByRole("heading", { name: "Conditions" }).waitFor();
    await panel.getByText(/^kubectl --\S+ \S+ describe node node-1$/).waitFor();
    await panel.getByRole("tab", { name: "Facts" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await panel.getByRole("tab", { name: "Why" }).getAttribute("aria-selected")).toBe("true");
    await panel.getByText("Node node-1 waits for nothing.").waitFor();
    await panel.getByText(/^kintsugi explain node node-1 --/).waitFor();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Node node-1");
  });

  test("filters narrow the page to a node and a workload", async () => {
    const page = await browser.open(url);
    const rows = page.getByRole("region", { name: "Nodes and pods" }).getByRole("row", { name: /Pod default/ });
    await rows.first().waitFor();
    await page.getByLabel("Workload").selectOption({ label: "shop (Deployment)" });
    await expect.poll(() => rows.count()).toBe(2);
    expect((await rows.allTextContents()).every((text) => text.includes("default/shop-"))).toBe(true);
  });
});

/** Texts that are more than text where a page makes markup, addresses or code of them. */
const hostileTexts = [
  `<img src=x onerror="alert(1)"><script>alert(2)</script>"'&lt;`,
  `"><svg onload=alert(3)><a href="javascript:alert(4)">x</a>`,
  `</script></style></textarea></title><iframe srcdoc="<script>alert(5)</script>">`,
  "javascript:alert(6)//",
  `<style>@import "https://example.org/x.css"; * { display: none }</style>`,
  `<math><mtext></p><style><img title="</style><img src onerror=alert(7)>">`,
  "{{constructor.constructor('alert(8)')()}} ${alert(9)} %3Cscript%3E",
  `<object data="data:text/html,<script>alert(10)</script>"></object><base href="https://example.org/">`,
  "\u202Ekcabsdrawkcab\u202C \u0000 \u001B[31mred\u001B[0m",
];

describe("a pod that cannot start", () => {
  const markup = hostileTexts.join("\n");

  test("is explained, and its texts are shown as text", async () => {
    const pod = aPod("stuck");
    await cluster.during((client) =>
      client.create(pods, { ...pod, spec: { ...pod.spec, nodeSelector: { disk: "fast" } } as typeof pod.spec }),
    );
    for (const [i, text] of hostileTexts.entries())
      await cluster.during((client) =>
        client.create(events, {
          metadata: { name: `stuck.${i}`, namespace: "default" },
          involvedObject: { kind: "Pod", namespace: "default", name: "stuck" },
          reason: text.slice(0, 128),
          message: text,
          type: "Warning",
        }),
      );
    const page = await browser.open(`${url}#Pod/default/stuck`);
    await page.route("**/log?*", (route) => route.fulfill({ body: `${markup}\n`, contentType: "text/plain" }));
    const panel = page.getByRole("dialog", { name: "Pod stuck in default" });
    await panel.getByRole("tab", { name: "Why" }).click();
    await panel
      .getByText(/does not match the pod's nodeSelector/)
      .first()
      .waitFor();
    await keepPicture(page, "why");
    await panel.getByRole("tab", { name: "Events" }).click();
    for (const text of hostileTexts) await expect.poll(() => panel.textContent()).toContain(text);
    await panel.getByRole("tab", { name: "Logs" }).click();
    await expect.poll(() => panel.locator("pre").textContent()).toBe(`${markup}\n`);
    await panel.getByText(/^kubectl --\S+ \S+ -n default logs stuck -c main --follow$/).waitFor();
    expect(await page.locator("img, svg, iframe, object, base, math, #app a, #app style, #app script").count()).toBe(0);
  });

  test.each([
    ["#Pod/default/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E", "<img src=x onerror=alert(1)>"],
    ["?namespace=%22%3E%3Cscript%3Ealert(1)%3C/script%3E#Node//n", "n"],
  ])("is not found at the address %s, which remains text", async (address, name) => {
    const page = await browser.open(url + address);
    await page.getByRole("dialog").getByRole("heading").first().getByText(name, { exact: false }).waitFor();
    expect(await page.locator("#app img, #app script").count()).toBe(0);
  });
});

describe("the panel Why", () => {
  test("gives the reason why an object waits, as the command does", async () => {
    const labels = { app: "lonely" };
    const full = aDeployment("full", 1);
    const held = aPod("held");
    await cluster.during(async (client) => {
      await client.create(namespaces, { metadata: { name: "small" } });
      await client.create(resourceQuotas, {
        metadata: { name: "none", namespace: "small" },
        spec: { hard: { pods: "0" } },
      });
      await client.create(services, {
        metadata: { name: "lonely", namespace: "default" },
        spec: { selector: labels, ports: [{ port: 80 }] },
      });
      await client.create(pods, { ...held, metadata: { ...held.metadata, finalizers: ["example.org/hold"] } });
    });
    await cluster.skip(15_000);
    await cluster.during(async (client) => {
      await client.create(deployments, { ...full, metadata: { name: "full", namespace: "small" } });
      await client.delete(pods, { namespace: "default", name: "held" });
    });
    await cluster.skip(40_000);
    const why = async (address: string, text: RegExp) => {
      const page = await browser.open(`${url}#${address}`);
      const panel = page.getByRole("dialog");
      await panel.getByRole("tab", { name: "Why" }).click();
      await panel.locator(".reasons").getByText(text).first().waitFor();
      return panel.getByText(/^kintsugi explain /).innerText();
    };
    expect(await why("Service/default/lonely", /no pod/i)).toMatch(/^kintsugi explain service lonely/);
    expect(await why("Deployment/small/full", /exceeded quota/)).toMatch(/^kintsugi explain deployment full/);
    expect(await why("Pod/default/held", /example\.org\/hold/)).toMatch(/^kintsugi explain pod held/);
    await cluster.during((client) =>
      client.patch(
        pods,
        { namespace: "default", name: "held" },
        { type: "merge", body: { metadata: { finalizers: null } } },
      ),
    );
  });
});

describe("a user without rights", () => {
  const jane = { name: "jane", groups: ["system:authenticated"] };

  test("gets the page, and only the objects that RBAC allows", async () => {
    await cluster.during((client) => client.create(namespaces, { metadata: { name: "team" } }));
    await cluster.during((client) =>
      client.create(deployments, { ...aDeployment("own", 1), metadata: { name: "own", namespace: "team" } }),
    );
    await cluster.during((client) =>
      client.create(roleBindings, {
        metadata: { name: "jane", namespace: "team" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }],
      }),
    );
    const page = await browser.open(await cluster.serve(jane));
    await page.getByText("You may not list the pods of all namespaces.").waitFor();
    expect(await page.getByRole("row", { name: /Pod|Node node/ }).count()).toBe(0);
    await page.getByRole("textbox", { name: "Namespace" }).fill("team");
    await page.getByRole("button", { name: "Show" }).click();
    await page
      .getByRole("row", { name: /Pod team\/own-/ })
      .first()
      .waitFor();
    await page.getByText("The server's history cannot be read with your rights").waitFor();
    expect(await page.getByText("default/").count()).toBe(0);
  });
});

describe.each([
  { name: "light", colorScheme: "light", width: 1280 },
  { name: "dark", colorScheme: "dark", width: 1280 },
  { name: "small", colorScheme: "light", width: 375 },
] as const)("the page in $name", ({ name, colorScheme, width }) => {
  test("has no serious fault for users of a keyboard or a screen reader", async () => {
    const page = await browser.open(url, { colorScheme, width, height: width === 375 ? 812 : 900 });
    await page
      .getByRole("row", { name: /Pod default/ })
      .first()
      .waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    // A page that is opened after the death finds the workloads of pods that no longer exist.
    const downtime = page.getByRole("region", { name: "Downtime" });
    await downtime
      .getByRole("row", { name: /Deployment web/ })
      .getByText(/^5 min/)
      .waitFor();
    expect(await downtime.getByText("ReplicaSet").count()).toBe(0);
    await keepPicture(page, name);
    await page
      .getByRole("region", { name: "Nodes and pods" })
      .getByRole("button", { name: /Pod default\/web/ })
      .first()
      .click();
    await page.getByRole("heading", { name: "Containers" }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    await keepPicture(page, `${name}-pod`);
  });
});

test("no page had an error, called another server, or ran a script that was shown as text", () => {
  expect(browser.faults).toEqual([]);
});

test("the table of downtime fits into its card in windows of every width", async () => {
  const page = await browser.open(url);
  const downtime = page.getByRole("region", { name: "Downtime" });
  await downtime
    .getByRole("row", { name: /Deployment web/ })
    .getByText(/^5 min/)
    .waitFor();
  const overflow: number[] = [];
  // The cards are in two columns from 901 pixels on; at 416 and 1256 the words remain in one line.
  for (const width of [360, 375, 410, 416, 600, 700, 770, 1000, 1140, 1256, 1280]) {
    await page.setViewportSize({ width, height: 812 });
    const [card, table] = [await downtime.boundingBox(), await downtime.getByRole("table").boundingBox()];
    const [right, end] = [card, table].map((box) => (box === null ? Number.NaN : box.x + box.width));
    if (!((end ?? Number.NaN) < (right ?? Number.NaN))) overflow.push(width);
  }
  expect(overflow).toEqual([]);
});
