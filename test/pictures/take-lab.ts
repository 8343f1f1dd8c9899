import { deployments, pods } from "@kintsugi/api";
import { aDeployment, aPod } from "@kintsugi/simulation";
import type { Page } from "playwright-core";
import { admin, startPacedCluster } from "../support/dashboard/paced-cluster.ts";
import type { Camera } from "./camera.ts";

const machine = { power: "on", link: "up", kubelet: "running" };
const labNodes = Object.fromEntries(["node-1", "node-2", "node-3"].map((name) => [name, machine]));

/** Answers for the supervisor, so that the page of a virtual cluster has the faults of a lab. */
export async function pretendLab(page: Page): Promise<void> {
  await page.route("**/lab/status", (route) => route.fulfill({ json: { nodes: labNodes } }));
  await page.route("**/lab/way", (route) => route.fulfill({ json: { name: "night" } }));
  await page.route("**/lab/actions", (route) => route.fulfill({ body: "It is done." }));
}

/** The lists are loaded, and the cluster was read. */
const isShown = async (page: Page) => {
  await page.getByRole("region", { name: "Nodes and pods" }).waitFor();
  await page.getByRole("region", { name: "First look" }).getByText("Degraded so far").waitFor();
};

/** Opens a tab of an object's panel. */
function panelOf(button: RegExp, tab?: string) {
  return async (page: Page) => {
    await isShown(page);
    await page.getByRole("region", { name: "Nodes and pods" }).getByRole("button", { name: button }).first().click();
    const panel = page.getByRole("dialog");
    await panel.waitFor();
    if (tab !== undefined) await panel.getByRole("tab", { name: tab }).click();
    // The page scrolls to the picture with a delay.
    await page.waitForTimeout(1_000);
  };
}

/** The page of a running cluster, whose timers last longer than taking the pictures. */
export async function takeLab(camera: Camera): Promise<void> {
  await using cluster = await startPacedCluster({ nodes: 3, profile: "kubernetes" });
  const url = await cluster.serve(admin);
  await cluster.skip(20_000);
  await camera.take("lab-empty", url, isShown);
  await cluster.during((client) => client.create(deployments, aDeployment("web", 6)));
  await cluster.during((client) => client.create(deployments, aDeployment("shop", 2)));
  await cluster.skip(60_000);
  await camera.take("lab-calm", url, isShown);
  await camera.take("lab-node", url, panelOf(/^Node node-2/));
  await camera.take("lab-node-why", url, panelOf(/^Node node-2/, "Why"));
  await camera.take("lab-node-break", url, panelOf(/^Break Node node-2/));
  await camera.take("lab-pod", url, panelOf(/^Pod default\/web/));
  await camera.take("lab-pod-why", url, panelOf(/^Pod default\/web/, "Why"));
  await camera.take("lab-pod-events", url, panelOf(/^Pod default\/web/, "Events"));
  await camera.take("lab-pod-break", url, panelOf(/^Break Pod web/));
  await camera.take("lab-break-something", url, async (page) => {
    await isShown(page);
    await page.getByRole("button", { name: "Break something" }).click();
    await page.getByRole("dialog").waitFor();
    await page.waitForTimeout(1_000);
  });
  await camera.take("lab-share", url, async (page) => {
    await isShown(page);
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByRole("region", { name: "Share" }).waitFor();
  });
  await camera.take("lab-lists", url, async (page) => {
    await isShown(page);
    await page.getByRole("region", { name: "What happened" }).scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 500);
    await page.waitForTimeout(500);
  });
  await cluster.during((client) => client.create(pods, aPod("giant", { cpu: "64" })));
  await cluster.skip(5_000);
  await camera.take("lab-pending", url, isShown);
  await camera.take("lab-pending-why", url, panelOf(/^Pod default\/giant/, "Why"));
  await cluster.during((client) => client.delete(pods, { namespace: "default", name: "giant" }));
  cluster.cluster.killNode("node-2");
  await cluster.skip(25_000);
  await camera.take("lab-silent", url, isShown);
  await cluster.skip(40_000);
  await camera.take("lab-not-ready", url, isShown);
  await camera.take("lab-not-ready-panel", url, panelOf(/^Node node-2/));
  await cluster.skip(320_000);
  await camera.take("lab-elsewhere", url, isShown);
  cluster.cluster.returnNode("node-2");
  await cluster.skip(60_000);
  await camera.take("lab-mended", url, isShown);
  await camera.take("lab-mended-lists", url, async (page) => {
    await isShown(page);
    await page.getByRole("region", { name: "Recoveries" }).scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 500);
    await page.waitForTimeout(500);
  });
}
