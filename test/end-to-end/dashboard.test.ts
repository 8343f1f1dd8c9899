import { deployments } from "@kintsugi/api";
import { aDeployment } from "@kintsugi/simulation";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, startBrowser } from "../support/dashboard/browser.ts";
import { admin, type PacedCluster, startPacedCluster } from "../support/dashboard/paced-cluster.ts";

let cluster: PacedCluster;
let browser: Browser;

beforeAll(async () => {
  [cluster, browser] = await Promise.all([startPacedCluster({ nodes: 3 }), startBrowser()]);
  await cluster.cluster.during(cluster.cluster.client.create(deployments, aDeployment("web", 4)));
  await cluster.skip(20_000);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

test("the page follows a node's death to its end", async () => {
  const page = await browser.open(await cluster.serve(admin));
  await page
    .getByRole("row", { name: /Deployment web/ })
    .getByText("4 of 4")
    .waitFor();
  await page.waitForTimeout(3000);
  await page.screenshot({ path: "/tmp/page-1.png" });
  cluster.cluster.killNode("node-2");
  for (let i = 0; i < 6; i++) {
    await page.waitForTimeout(2500);
    await page.screenshot({ path: `/tmp/page-kill-${i}.png`, fullPage: true });
  }
  expect(browser.faults).toEqual([]);
});
